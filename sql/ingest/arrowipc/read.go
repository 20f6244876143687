// Package arrowipc reads rows from an Arrow IPC stream. The stream is checked
// before the library sees it: docs/adr/0024 says why.
package arrowipc

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"streamsql/sql/ingest"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Read reads all rows of a stream into the columns of its names; one that is no
// column is error 1054, or left out if it may be ignored.
func Read(stream []byte, rows *ingest.Rows, ignoreUnknown bool) (err error) {
	if err := check(stream); err != nil {
		return sqlerr.New(sqlerr.UnknownError, "%v", err)
	}
	defer func() {
		if p := recover(); p != nil { // a buffer that is too short for its column
			err = sqlerr.New(sqlerr.UnknownError, "%v: %.200s", errMalformed, fmt.Sprint(p))
		}
	}()
	r, err := ipc.NewReader(bytes.NewReader(stream), ipc.WithAllocator(&budget{memory.DefaultAllocator, 4*len(stream) + 1<<20}))
	if err != nil {
		return sqlerr.New(sqlerr.UnknownError, "%v: %v", errMalformed, err)
	}
	defer r.Release()
	names := []string{}
	for _, f := range r.Schema().Fields() {
		names = append(names, f.Name)
	}
	into, err := rows.Fields(names, ignoreUnknown)
	if err != nil {
		return err
	}
	for r.Next() {
		if err := readBatch(r.RecordBatch(), rows, into); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return sqlerr.New(sqlerr.UnknownError, "%v: %v", errMalformed, err)
	}
	return nil
}

// budget is an allocator that panics where a stream asks for more memory than its
// own bytes explain. The check should have refused such a one.
type budget struct {
	memory.Allocator
	left int
}

func (b *budget) take(n int) {
	if b.left -= n; b.left < 0 {
		panic("the buffers are larger than the stream")
	}
}

// Allocate is for a new buffer.
func (b *budget) Allocate(size int) []byte {
	b.take(size)
	return b.Allocator.Allocate(size)
}

// Reallocate is for a buffer that grows.
func (b *budget) Reallocate(size int, old []byte) []byte {
	b.take(max(size-len(old), 0))
	return b.Allocator.Reallocate(size, old)
}

// readBatch reads the rows of a record batch.
func readBatch(batch arrow.RecordBatch, rows *ingest.Rows, into []int) error {
	columns := batch.Columns()
	values := make([]func(i int, v *ingest.Value), len(columns))
	for k, c := range columns {
		if into[k] < 0 {
			continue
		}
		if values[k] = valuesOf(c); values[k] == nil {
			return sqlerr.New(sqlerr.NotSupportedYet, "Column '%.64s' of the stream has the Arrow type %s, which is not read", batch.ColumnName(k), c.DataType())
		}
	}
	var v ingest.Value
	for i := range int(batch.NumRows()) {
		rows.Begin()
		for k, value := range values {
			if value == nil {
				continue
			}
			if columns[k].IsNull(i) {
				v = ingest.Value{Kind: ingest.Null}
			} else {
				value(i, &v)
			}
			rows.Set(into[k], &v)
		}
		if err := rows.End(); err != nil {
			return err
		}
	}
	return nil
}

// valuesOf is how the values of an array are read; nil: they are not.
func valuesOf(a arrow.Array) func(i int, v *ingest.Value) {
	switch a := a.(type) {
	case *array.Null:
		return func(_ int, v *ingest.Value) { v.Kind = ingest.Null }
	case *array.Boolean:
		return func(i int, v *ingest.Value) {
			if v.Kind = ingest.False; a.Value(i) {
				v.Kind = ingest.True
			}
		}
	case *array.Int8:
		return integers(a.Values())
	case *array.Int16:
		return integers(a.Values())
	case *array.Int32:
		return integers(a.Values())
	case *array.Int64:
		return integers(a.Values())
	case *array.Uint8:
		return integers(a.Values())
	case *array.Uint16:
		return integers(a.Values())
	case *array.Uint32:
		return integers(a.Values())
	case *array.Uint64:
		return integers(a.Values())
	case *array.Float32:
		return floats(a.Values())
	case *array.Float64:
		return floats(a.Values())
	case *array.String:
		return texts(a.Value)
	case *array.LargeString:
		return texts(a.Value)
	case *array.Binary:
		return texts(a.Value)
	case *array.LargeBinary:
		return texts(a.Value)
	case *array.FixedSizeBinary:
		return texts(a.Value)
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale
		return func(i int, v *ingest.Value) {
			v.Kind, v.Small, v.Bytes = ingest.Decimal, false, []byte(a.Value(i).ToString(scale))
		}
	}
	return timesOf(a)
}

// timesOf is valuesOf for dates and times, which are read as texts.
func timesOf(a arrow.Array) func(i int, v *ingest.Value) {
	var buffer []byte
	text := func(v *ingest.Value) { v.Kind, v.Small, v.Bytes = ingest.Text, false, buffer }
	switch a := a.(type) {
	case *array.Date32:
		return func(i int, v *ingest.Value) {
			buffer = types.AppendDate(buffer[:0], int64(a.Value(i))*types.Day)
			text(v)
		}
	case *array.Date64:
		return func(i int, v *ingest.Value) {
			buffer = types.AppendDate(buffer[:0], int64(a.Value(i))*1000)
			text(v)
		}
	case *array.Time32:
		unit := a.DataType().(*arrow.Time32Type).Unit
		return func(i int, v *ingest.Value) {
			buffer = types.AppendTime(buffer[:0], micros(int64(a.Value(i)), unit), digits(unit))
			text(v)
		}
	case *array.Time64:
		unit := a.DataType().(*arrow.Time64Type).Unit
		return func(i int, v *ingest.Value) {
			buffer = types.AppendTime(buffer[:0], micros(int64(a.Value(i)), unit), digits(unit))
			text(v)
		}
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		return func(i int, v *ingest.Value) {
			us := micros(int64(a.Value(i)), t.Unit)
			if us < types.MinDateTime || us > types.MaxDateTime {
				buffer = strconv.AppendInt(buffer[:0], int64(a.Value(i)), 10) // is no date: an error of its row
			} else if buffer = types.AppendDateTime(buffer[:0], us, digits(t.Unit)); t.TimeZone != "" {
				buffer = append(buffer, "+00:00"...) // a moment, not what a clock shows
			}
			text(v)
		}
	}
	return nil
}

// micros is a number of units in microseconds; out of range it is as large as can be.
func micros(n int64, unit arrow.TimeUnit) int64 {
	if unit == arrow.Nanosecond {
		return n / 1000
	}
	per := int64(unit.Multiplier()) / 1000
	if n > math.MaxInt64/per || n < math.MinInt64/per {
		return math.MaxInt64
	}
	return n * per
}

// digits are those of a second that a unit tells apart, at most 6.
func digits(unit arrow.TimeUnit) int {
	switch unit {
	case arrow.Second:
		return 0
	case arrow.Millisecond:
		return 3
	}
	return 6
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// small is the range of integers of at most 18 digits.
const small = 999_999_999_999_999_999

func integers[T integer](values []T) func(i int, v *ingest.Value) {
	var buffer []byte
	return func(i int, v *ingest.Value) {
		x := values[i]
		v.Kind, v.Small, v.Num = ingest.Int, true, int64(x)
		switch {
		case x > 0 && uint64(x) > small:
			v.Small = false
			buffer = strconv.AppendUint(buffer[:0], uint64(x), 10)
		case v.Num < -small:
			v.Small = false
			buffer = strconv.AppendInt(buffer[:0], v.Num, 10)
		default:
			buffer = strconv.AppendInt(buffer[:0], v.Num, 10)
		}
		v.Bytes = buffer
	}
}

func floats[T float32 | float64](values []T) func(i int, v *ingest.Value) {
	var buffer []byte
	return func(i int, v *ingest.Value) {
		v.Kind, v.Small = ingest.Float, false
		buffer = strconv.AppendFloat(buffer[:0], float64(values[i]), 'e', -1, 64)
		v.Bytes = buffer
	}
}

func texts[T string | []byte](value func(int) T) func(i int, v *ingest.Value) {
	var buffer []byte
	return func(i int, v *ingest.Value) {
		buffer = append(buffer[:0], value(i)...)
		v.Kind, v.Small, v.Bytes = ingest.Text, false, buffer
	}
}
