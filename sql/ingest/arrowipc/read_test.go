package arrowipc

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"streamsql/sql/builtin"
	"streamsql/sql/ingest"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// field is a column of a stream with the values of its two rows; the third is NULL.
type field struct {
	name string
	typ  arrow.DataType
	fill func(b array.Builder)
	into types.Type
	want string // both values
}

var fields = []field{
	{"flag", arrow.FixedWidthTypes.Boolean, func(b array.Builder) { b.(*array.BooleanBuilder).AppendValues([]bool{true, false}, nil) }, types.MakeBool(), "1 0"},
	{"i8", arrow.PrimitiveTypes.Int8, func(b array.Builder) { b.(*array.Int8Builder).AppendValues([]int8{-128, 127}, nil) }, types.MakeBigInt(), "-128 127"},
	{"i64", arrow.PrimitiveTypes.Int64, func(b array.Builder) {
		b.(*array.Int64Builder).AppendValues([]int64{-1 << 63, 999_999_999_999_999_999}, nil)
	}, types.MakeBigInt(), "-9223372036854775808 999999999999999999"},
	{"u64", arrow.PrimitiveTypes.Uint64, func(b array.Builder) { b.(*array.Uint64Builder).AppendValues([]uint64{1<<64 - 1, 1 << 63}, nil) },
		types.Type{Kind: types.BigInt, Unsigned: true}, "18446744073709551615 9223372036854775808"},
	{"f64", arrow.PrimitiveTypes.Float64, func(b array.Builder) { b.(*array.Float64Builder).AppendValues([]float64{1.5, -2e100}, nil) }, types.MakeDouble(), "1.5 -2e100"},
	{"s", arrow.BinaryTypes.String, func(b array.Builder) { b.(*array.StringBuilder).AppendValues([]string{"é", ""}, nil) }, types.MakeVarChar(5), "é "},
	{"ls", arrow.BinaryTypes.LargeString, func(b array.Builder) {
		b.(*array.LargeStringBuilder).AppendValues([]string{"12", "-3"}, nil)
	}, types.MakeBigInt(), "12 -3"},
	{"bin", arrow.BinaryTypes.Binary, func(b array.Builder) {
		b.(*array.BinaryBuilder).AppendValues([][]byte{{255}, {'a'}}, nil)
	}, types.Type{Kind: types.VarBinary, Len: 5, Collation: types.BinaryCollation}, "\xff a"},
	{"dec", &arrow.Decimal128Type{Precision: 10, Scale: 3}, func(b array.Builder) {
		b.(*array.Decimal128Builder).AppendValues([]decimal128.Num{decimal128.FromI64(1500), decimal128.FromI64(-20)}, nil)
	}, types.MakeDecimal(10, 3), "1.500 -0.020"},
	{"d", arrow.FixedWidthTypes.Date32, func(b array.Builder) { b.(*array.Date32Builder).AppendValues([]arrow.Date32{0, 19782}, nil) },
		types.Type{Kind: types.Date}, "1970-01-01 2024-02-29"},
	{"ts", &arrow.TimestampType{Unit: arrow.Millisecond}, func(b array.Builder) {
		b.(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{1709164800123, -1}, nil)
	}, types.MakeDateTime(3), "2024-02-29 00:00:00.123 1969-12-31 23:59:59.999"},
	{"moment", &arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "Europe/Berlin"}, func(b array.Builder) {
		b.(*array.TimestampBuilder).AppendValues([]arrow.Timestamp{1709164800123456000, 1e18}, nil)
	}, types.Type{Kind: types.Timestamp, Scale: 6}, "2024-02-29 00:00:00.123456 2001-09-09 01:46:40.000000"},
	{"t", arrow.FixedWidthTypes.Time64us, func(b array.Builder) { b.(*array.Time64Builder).AppendValues([]arrow.Time64{1, 3600e6}, nil) },
		types.Type{Kind: types.Time, Scale: 6}, "00:00:00.000001 01:00:00.000000"},
}

// stream makes a stream of the fields, with two record batches, and the columns for it.
func stream(t testing.TB, of []field, o ...ipc.Option) ([]byte, []ingest.Spec) {
	var fs []arrow.Field
	var specs []ingest.Spec
	for _, f := range of {
		fs = append(fs, arrow.Field{Name: f.name, Type: f.typ, Nullable: true, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})})
		null := vector.New(f.into, 1)
		null.AppendNull()
		specs = append(specs, ingest.Spec{Name: f.name, Type: f.into, Default: null})
	}
	schema := arrow.NewSchema(fs, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(o, ipc.WithSchema(schema))...)
	for range 2 {
		for k, f := range of {
			f.fill(b.Field(k))
			b.Field(k).AppendNull()
		}
		r := b.NewRecordBatch()
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
		r.Release()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), specs
}

// read gives the values of all rows, by column.
func read(data []byte, specs []ingest.Spec) (columns [][]string, rows *ingest.Rows, err error) {
	columns = make([][]string, len(specs))
	rows = ingest.NewRows(ingest.Config{Columns: specs, Context: builtin.Context{Rules: builtin.Rules{Strict: true}}, Emit: func(cs []*vector.Vector, n int) error {
		for k, c := range cs {
			for i := range n {
				s := "NULL"
				if !c.IsNull(i) {
					s = string(c.AppendText(nil, i, nil))
				}
				columns[k] = append(columns[k], s)
			}
		}
		return nil
	}})
	if err = Read(data, rows, false); err == nil {
		err = rows.Flush()
	}
	return columns, rows, err
}

func TestTypes(t *testing.T) {
	data, specs := stream(t, fields)
	got, rows, err := read(data, specs)
	if err != nil || len(rows.Errors()) > 0 {
		t.Fatal(err, rows.Errors())
	}
	for k, f := range fields {
		if s, want := strings.Join(got[k], " "), f.want+" NULL "+f.want+" NULL"; s != want {
			t.Errorf("%s: %q, want %q", f.name, s, want)
		}
	}
}

func TestRefused(t *testing.T) {
	list := field{"l", arrow.ListOf(arrow.PrimitiveTypes.Int8), func(b array.Builder) { b.AppendNull(); b.AppendNull() }, types.MakeBigInt(), ""}
	half := field{"h", arrow.FixedWidthTypes.MonthInterval, func(b array.Builder) { b.AppendNull(); b.AppendNull() }, types.MakeBigInt(), ""}
	nested, specs := stream(t, []field{list})
	interval, _ := stream(t, []field{half})
	packed, packedSpecs := stream(t, fields[:2], ipc.WithZstd())
	whole, wholeSpecs := stream(t, fields[:2])
	for _, c := range []struct {
		name  string
		data  []byte
		specs []ingest.Spec
		want  string
	}{
		{"a list", nested, specs, "nested type"},
		{"an interval", interval, []ingest.Spec{{Name: "h", Type: types.MakeBigInt()}}, "month_interval, which is not read"},
		{"compressed buffers", packed, packedSpecs, "compress the request instead"},
		{"other columns", whole, specs, "Unknown column 'flag' in 'field list'"},
		{"nothing", nil, specs, "there is no schema"},
		{"text", []byte("a,b\n1,2\n"), specs, "does not begin with its mark"},
		{"something behind the end", append(bytes.Clone(whole), 0), wholeSpecs, "1 bytes follow the end"},
		{"cut", whole[:len(whole)-20], wholeSpecs, "malformed"},
		{"twice", append(bytes.Clone(whole[:len(whole)-8]), whole...), wholeSpecs, "one schema"},
	} {
		if _, _, err := read(c.data, c.specs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestDamage reads a stream with each of its bytes changed in several ways: it is
// read, or refused, but nothing panics, and memory stays in proportion.
func TestDamage(t *testing.T) {
	data, specs := stream(t, fields)
	var before, after runtime.MemStats
	refused := 0
	for i := range data {
		for _, flip := range []byte{0x01, 0xff} {
			damaged := bytes.Clone(data)
			damaged[i] ^= flip
			runtime.ReadMemStats(&before)
			if _, _, err := read(damaged, specs); err != nil {
				refused++
			}
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 32<<20 {
				t.Fatalf("byte %d ^ %#x: %d bytes were allocated for a stream of %d", i, flip, n, len(data))
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was found")
	}
	for n := range data {
		if _, _, err := read(data[:n], specs); err == nil && n < len(data)-8 && n > 0 {
			if got := fmt.Sprint(check(data[:n])); got != "<nil>" {
				t.Errorf("the first %d bytes are read although: %s", n, got)
			}
		}
	}
}

// FuzzRead looks for bytes that make the reader panic.
func FuzzRead(f *testing.F) {
	data, specs := stream(f, fields)
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) { _, _, _ = read(data, specs) })
}
