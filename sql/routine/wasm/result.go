package wasm

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/api"

	"streamsql/sql/routine"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// Why a row has no value, where the module does not say more.
const (
	refused  = "its module marked the row as failed"
	badText  = "its module gave a text outside of its memory"
	badUTF8  = "its module gave a text that is not UTF-8"
	badFloat = "its module gave a number that no SQL value is"
)

// collect appends the results of a call to out, and tells fail, by the numbers in
// rows, of those that there are not.
func (in *instance) collect(c *chunk, d *routine.Definition, rows []int32, out *vector.Vector, fail routine.Fail) error {
	mem := in.module.Memory()
	b, ok := mem.Read(in.at, uint32(c.size))
	if !ok {
		in.dead = true
		return errMemory
	}
	c.results(mem, b, out, func(k int, reason string) {
		fail(int(rows[k]), routine.Failed(d, reason))
	})
	return nil
}

// results appends a chunk's results to out; why says for each row that has none
// what is wrong with it.
func (c *chunk) results(mem api.Memory, b []byte, out *vector.Vector, why func(k int, reason string)) {
	r := &c.result
	var text []byte
	if r.text {
		at, n := binary.LittleEndian.Uint32(b[r.head:]), binary.LittleEndian.Uint32(b[r.head+12:])
		text, _ = mem.Read(at, n)
	}
	for k := range c.rows {
		reason := ""
		switch {
		case b[c.failed+k] != 0:
			reason = refused
		case b[r.valid+k/8]>>(k%8)&1 == 0:
			out.AppendNull()
			continue
		default:
			reason = r.append(b, k, text, out)
		}
		if reason != "" {
			out.AppendNull()
			why(k, reason)
		}
	}
}

// append appends one result; else it says what is wrong.
func (r *column) append(b []byte, k int, text []byte, out *vector.Vector) string {
	switch out.Type.Class() {
	case types.ClassBytes:
		from := binary.LittleEndian.Uint32(b[r.offsets+4*k:])
		to := binary.LittleEndian.Uint32(b[r.offsets+4*k+4:])
		if from > to || uint64(to) > uint64(len(text)) {
			return badText
		}
		if !out.Type.IsBinary() && !utf8.Valid(text[from:to]) {
			return badUTF8
		}
		out.AppendBytes(text[from:to])
	case types.ClassFloat:
		f := math.Float64frombits(binary.LittleEndian.Uint64(b[r.values+8*k:]))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return badFloat
		}
		out.AppendFloat(f)
	default:
		out.AppendInt(int64(binary.LittleEndian.Uint64(b[r.values+8*k:])))
	}
	return ""
}
