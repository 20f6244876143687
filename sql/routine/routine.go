// Package routine holds functions of the user's own: what defines one, the
// languages that they may be written in, and how they are called, a chunk at a
// time. Packages js and wasm below it are languages; Go functions of a program
// that embeds the engine are registered here (Register).
package routine

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"streamsql/sql/types"
)

// Param is a parameter of a function.
type Param struct {
	Name string     `json:"name"`
	Type types.Type `json:"type"`
}

// Definition is a function as it was created. It is immutable, and part of every
// plan that calls the function: a continuous query keeps the code that it was
// created with.
type Definition struct {
	Database  string     `json:"database"`
	Name      string     `json:"name"` // as written
	Aggregate bool       `json:"aggregate,omitempty"`
	Language  string     `json:"language"` // in lower case
	Params    []Param    `json:"params,omitempty"`
	Returns   types.Type `json:"returns"`
	// Code is the text in JavaScript, the module in WebAssembly, the name under which
	// a Go function is registered.
	Code []byte `json:"code"`
	// CannotRetract: an aggregate that has no retract, as Open found it.
	CannotRetract bool `json:"cannot_retract,omitempty"`

	once sync.Once
	hash [sha256.Size]byte
}

// The largest code of a function, in bytes. A plan holds it for each call.
const (
	MaxText   = 64 << 10
	MaxModule = 1 << 20
)

// MaxParams bounds the parameters of a function.
const MaxParams = 64

// Carrier is the type in which values of t reach a function and leave it:
//
//	integers          BIGINT, with the same sign
//	FLOAT, DOUBLE     DOUBLE
//	binary strings    LONGBLOB
//	all others        LONGTEXT: text, JSON, and DECIMAL and points of time as MySQL shows them
//
// The casts on both sides are the binder's.
func Carrier(t types.Type) types.Type {
	c := types.Type{Kind: types.Text, Len: types.LongTextLen}
	switch {
	case t.IsInteger():
		c = types.Type{Kind: types.BigInt, Unsigned: t.Unsigned}
	case t.Class() == types.ClassFloat:
		c = types.MakeDouble()
	case t.IsBinary():
		c = types.Type{Kind: types.Blob, Len: types.LongTextLen, Collation: types.BinaryCollation}
	}
	return c
}

// Hash names what the function computes: its language, types and code.
func (d *Definition) Hash() [sha256.Size]byte {
	d.once.Do(func() {
		h := sha256.New()
		part := func(b []byte) {
			var n [8]byte
			binary.LittleEndian.PutUint64(n[:], uint64(len(b)))
			h.Write(n[:])
			h.Write(b)
		}
		part([]byte(d.Language))
		part(d.Code)
		if d.Aggregate {
			part([]byte("aggregate"))
		}
		for _, p := range d.Params {
			part([]byte(p.Name))
			part([]byte(p.Type.String()))
		}
		part([]byte(d.Returns.String()))
		h.Sum(d.hash[:0])
	})
	return d.hash
}

// Same reports two definitions that compute the same; both may be nil.
func Same(a, b *Definition) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return a.Name == b.Name && a.Database == b.Database && a.Hash() == b.Hash()
}

// Signature is the function with its types, for people: f(x BIGINT) RETURNS DOUBLE.
func (d *Definition) Signature() string {
	params := make([]string, len(d.Params))
	for i, p := range d.Params {
		params[i] = p.Name + " " + p.Type.String()
	}
	return d.Name + "(" + strings.Join(params, ", ") + ") RETURNS " + d.Returns.String()
}

// IsJSON reports the parameters whose text is a JSON document.
func (d *Definition) IsJSON() []bool {
	out := make([]bool, len(d.Params))
	for i, p := range d.Params {
		out[i] = p.Type.Kind == types.JSON
	}
	return out
}

// sortedNames lists the keys of a map of languages or functions.
func sortedNames[V any](m map[string]V) []string {
	var names []string
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}
