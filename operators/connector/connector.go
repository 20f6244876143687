// Package connector is the contract with the outside: where rows come from
// (Source), where they go (Sink), and what is looked up there (Lookup). Each kind
// is a package below, registered by name in package main, never by an init.
package connector

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Column is a column of the table that a connector is made for.
type Column struct {
	Name string
	Type types.Type
}

// Offset is a position in a partition: how many rows lie before it.
type Offset uint64

// Source reads a stream's partitions. Partitions and their order never change
// for one Source. All methods are safe for concurrent use on different partitions.
type Source interface {
	// Partitions is how many there are.
	Partitions() int
	// ReadRange returns rows of a partition from offset from on, at most up to offset
	// to (exclusive). There may be fewer: next is where to go on, and from only if the
	// partition ends there or is not so far yet. The chunk has a column for each of the
	// table's; those that are not in want, a list of their positions, may be nil.
	// Reading a range again gives the same rows, however it is cut and whatever columns
	// are wanted. The chunk is the caller's. spare, if it is not nil, is a chunk that
	// an earlier call gave and that nobody holds any more: its vectors' memory may be
	// used again.
	ReadRange(ctx context.Context, partition int, from, to Offset, want []int, spare *batch.Chunk) (c *batch.Chunk, next Offset, err error)
	// Latest returns how far a partition can be read at the time now, and whether it
	// ends there for ever. from is where the reader stands, which a paced source begins
	// from; now is the caller's, so that such a source needs no clock.
	Latest(ctx context.Context, partition int, from Offset, now time.Time) (o Offset, end bool, err error)
	Close() error
}

// Changelog is how the changes of a query are told to a sink.
type Changelog string

// The changelogs.
const (
	Append  Changelog = "append"  // rows that come: none is ever taken back
	Upsert  Changelog = "upsert"  // the newest row of each key, and the last one of a key that is gone
	Retract Changelog = "retract" // every row that comes or goes
)

// What the op of a change says: the row came, it went, or it took the place of
// the one with the same key, which went.
const (
	OpInsert = "+I"
	OpDelete = "-D"
	OpBefore = "-U"
	OpAfter  = "+U"
)

// SinkSpec is what a sink is made for.
type SinkSpec struct {
	Columns   []Column
	Key       []int // positions that are unique together in the query's result; nil: it has no key
	Changelog Changelog
	Options   Values
	// New: the statement that makes the sink is under way. Else it goes on where it was.
	New bool
}

// Sink takes the changes of a query. One goroutine at a time.
type Sink interface {
	// Write delivers what one batch changed, consolidated: each row is there once, and
	// a weight says how often. Rows have the columns of the sink, before them, unless
	// the changelog is Append, the op. Of Upsert, OpBefore does not come. A batch that
	// changes nothing is left out.
	//
	// Ids rise. When Write returns nil the batch is safe, whatever happens to the
	// process. After a failure, also of the whole process, the last ids come again with
	// the same rows, even such as were safe already; the sink must make that harmless.
	Write(ctx context.Context, id uint64, changes []*batch.Chunk) error
	// Taken is the last batch that is safe; 0: none.
	Taken() uint64
	Close() error
}

// Lookup fetches rows by key.
type Lookup interface {
	// Get returns the rows for the keys of a chunk, and for each of them which key
	// (its row in keys) it is of.
	Get(ctx context.Context, keys *batch.Chunk) (rows *batch.Chunk, of []int32, err error)
	Close() error
}

// Scanner is a Lookup that can also give all its rows.
type Scanner interface {
	Lookup
	// Scan returns a function that gives the rows, at most max a time, nil at the end.
	Scan(ctx context.Context) (next func(max int) *batch.Chunk, err error)
}

// OptionType is what an option's text must be.
type OptionType string

// The option types.
const (
	Text     OptionType = "text"
	Integer  OptionType = "integer"  // not negative
	Duration OptionType = "duration" // '10 s', '5 min', '7 days'
)

// Option is an option of WITH (…) that a kind understands.
type Option struct {
	Name     string
	Type     OptionType
	Default  string // as it would be written; "" with Required
	Required bool
	Doc      string // a sentence
}

// Kind is one connector. The functions that it lacks are nil.
type Kind struct {
	Name    string // of WITH (connector = '…')
	Doc     string
	Example string
	Options []Option
	// Columns lists what a source can give; a table's columns are matched by name. Nil: any.
	Columns []Column
	Source  func(cols []Column, o Values) (Source, error)
	Sink    func(s SinkSpec) (Sink, error)
	// Changelogs are those that a sink can be told, the ones it prefers first.
	Changelogs []Changelog
	// Discards: a sink looks at nothing that it is given, so that it need not be given.
	Discards bool
	Lookup   func(cols []Column, keys []int, o Values) (Lookup, error)
}

// Values are checked options, defaults filled in.
type Values map[string]string

// Text returns an option as it is.
func (v Values) Text(name string) string { return v[name] }

// Integer returns an option that Check found to be one.
func (v Values) Integer(name string) int64 {
	n, _ := strconv.ParseInt(v[name], 10, 64)
	return n
}

// Duration returns an option that Check found to be one.
func (v Values) Duration(name string) time.Duration {
	d, _ := ParseDuration(v[name])
	return d
}

// units of ParseDuration, in the singular and short.
var units = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "second": time.Second, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hour": time.Hour, "day": 24 * time.Hour, "d": 24 * time.Hour,
}

// ParseDuration reads a number and a unit.
func ParseDuration(s string) (time.Duration, error) {
	number, unit, _ := strings.Cut(strings.TrimSpace(s), " ")
	n, err := strconv.ParseInt(number, 10, 32)
	unit = strings.ToLower(strings.TrimSpace(unit))
	u, ok := units[unit]
	if !ok {
		u, ok = units[strings.TrimSuffix(unit, "s")]
	}
	if err != nil || n < 0 || !ok {
		return 0, fmt.Errorf("%q is not a duration like '10 s', '5 min' or '7 days'", s)
	}
	return time.Duration(n) * u, nil
}

// Check checks the options of WITH against the kind's, and fills defaults in.
// The keys of with are in lower case; common names options that the statement
// itself takes, whatever the kind.
func (k *Kind) Check(with map[string]string, common ...string) (Values, error) {
	out := Values{}
	known := map[string]bool{"connector": true}
	for _, c := range common {
		known[c] = true
	}
	for _, o := range k.Options {
		known[o.Name] = true
		v, ok := with[o.Name]
		switch {
		case !ok && o.Required:
			return nil, sqlerr.New(sqlerr.WrongArguments, "Connector '%s' needs the option '%s': %s", k.Name, o.Name, o.Doc)
		case !ok:
			v = o.Default
		default:
			if err := o.check(v); err != nil {
				return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option '%s' of connector '%s': %s", o.Name, k.Name, err)
			}
		}
		out[o.Name] = v
	}
	for name := range with {
		if !known[name] {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Connector '%s' has no option '%s'; it has %s", k.Name, name, k.names())
		}
	}
	return out, nil
}

func (k *Kind) names() string {
	var names []string
	for _, o := range k.Options {
		names = append(names, o.Name)
	}
	return strings.Join(names, ", ")
}

func (o Option) check(v string) error {
	switch o.Type {
	case Integer:
		if n, err := strconv.ParseInt(v, 10, 64); err != nil || n < 0 {
			return fmt.Errorf("%q is not a number from 0 on", v)
		}
	case Duration:
		_, err := ParseDuration(v)
		return err
	}
	return nil
}

// Registry holds kinds by name. Fill it before use; then it is safe for all.
type Registry struct{ kinds map[string]*Kind }

// NewRegistry makes a registry of the kinds. Two of one name are a mistake in the program.
func NewRegistry(kinds ...*Kind) *Registry {
	r := &Registry{kinds: map[string]*Kind{}}
	for _, k := range kinds {
		if r.kinds[k.Name] != nil {
			panic("connector registered twice: " + k.Name)
		}
		r.kinds[k.Name] = k
	}
	return r
}

// Kind finds a kind, or fails naming those there are.
func (r *Registry) Kind(name string) (*Kind, error) {
	if k := r.kinds[name]; k != nil {
		return k, nil
	}
	return nil, sqlerr.New(sqlerr.WrongArguments, "Unknown connector '%s'; there are %s", name, strings.Join(r.Names(), ", "))
}

// Names lists the kinds.
func (r *Registry) Names() []string {
	names := make([]string, 0, len(r.kinds))
	for n := range r.kinds {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}
