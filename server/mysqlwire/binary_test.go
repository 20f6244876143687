package mysqlwire

import (
	"bytes"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// TestTemporalRoundTrip reads times as a client sends them, and writes them
// back in the same bytes.
func TestTemporalRoundTrip(t *testing.T) {
	for _, c := range []struct {
		code byte
		sent []byte
		text string
	}{
		{mysql.MYSQL_TYPE_DATE, []byte{4, 0xe8, 7, 2, 29}, "2024-02-29"},
		{mysql.MYSQL_TYPE_DATETIME, []byte{4, 0xb2, 7, 1, 1}, "1970-01-01 00:00:00"},
		{mysql.MYSQL_TYPE_DATETIME, []byte{7, 0xb1, 7, 12, 31, 23, 59, 58}, "1969-12-31 23:59:58"},
		{mysql.MYSQL_TYPE_TIMESTAMP, []byte{11, 0xe8, 7, 7, 1, 1, 2, 3, 1, 0, 0, 0}, "2024-07-01 01:02:03.000001"},
		{mysql.MYSQL_TYPE_TIME, []byte{0}, "00:00:00"},
		{mysql.MYSQL_TYPE_TIME, []byte{8, 1, 1, 0, 0, 0, 2, 3, 4}, "-26:03:04"},
		{mysql.MYSQL_TYPE_TIME, []byte{12, 0, 0, 0, 0, 0, 0, 0, 1, 0x40, 0x42, 0x0e, 0}, ""}, // a million microseconds is a second
	} {
		p, err := readParam(&reader{b: c.sent}, c.code, false)
		if err != nil {
			t.Errorf("%x: %v", c.sent, err)
			continue
		}
		v := vector.New(p.Type, 1)
		v.AppendInt(p.Value.I)
		if c.text == "" {
			continue
		}
		if got := string(v.AppendText(nil, 0, time.UTC)); got != c.text {
			t.Errorf("%x reads %s, want %s", c.sent, got, c.text)
		}
		if got := appendBinary(nil, v, 0, time.UTC); !bytes.Equal(got, c.sent) {
			t.Errorf("%s is written %x, want %x", c.text, got, c.sent)
		}
	}
	for _, sent := range [][]byte{{4, 0xe7, 7, 2, 29}, {4, 0, 0, 0, 0}, {0}, {5, 1, 1, 1, 1, 1}, {7, 0xe7, 7, 2, 1, 24, 0, 0}, {11, 1}} {
		r := &reader{b: sent}
		if _, err := readParam(r, mysql.MYSQL_TYPE_DATETIME, false); err == nil && !r.bad {
			t.Errorf("%x is taken for a time", sent)
		}
	}
}

func TestTimestampIsShownInTheSessionsZone(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	v := vector.New(types.Type{Kind: types.Timestamp}, 1)
	v.AppendInt(23 * 3600 * second)
	if got := appendBinary(nil, v, 0, zone); !bytes.Equal(got, []byte{7, 0xb2, 7, 1, 2, 1, 0, 0}) {
		t.Errorf("%x", got)
	}
	c := &batch.Chunk{Cols: []*vector.Vector{v}, N: 1}
	if got := string(appendTextRow(nil, c, 1, 0, zone)); got != "\x131970-01-02 01:00:00" {
		t.Errorf("%q", got)
	}
}

func TestNullsInRows(t *testing.T) {
	c := batch.New([]types.Type{types.MakeBigInt(), {Kind: types.TinyInt}, types.MakeVarChar(3), {Kind: types.Null}}, 1)
	c.Cols[0].AppendNull()
	c.Cols[1].AppendInt(-1)
	c.Cols[2].AppendString("")
	c.Cols[3].AppendNull()
	c.PushWeight(1)
	if got := appendTextRow(nil, c, 4, 0, nil); string(got) != "\xfb\x02-1\x00\xfb" {
		t.Errorf("text %q", got)
	}
	if got := appendBinaryRow(nil, c, 4, 0, nil); string(got) != "\x00\x24\xff\x00" {
		t.Errorf("binary %q", got)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		t    types.Type
		want wireType
	}{
		{types.MakeBigInt(), wireType{8, 63, 20, 128, 0}},
		{types.Type{Kind: types.Int, Unsigned: true, NotNull: true}, wireType{3, 63, 10, 128 | 32 | 1, 0}},
		{types.MakeBool(), wireType{1, 63, 1, 128, 0}},
		{types.MakeDecimal(10, 2), wireType{246, 63, 12, 128, 2}},
		{types.MakeDouble(), wireType{5, 63, 23, 128, 31}},
		{types.MakeVarChar(20), wireType{253, 255, 80, 128, 0}}, // utf8mb4_bin
		{types.Type{Kind: types.VarChar, Len: 20, Collation: types.UTF8MB40900AICI}, wireType{253, 255, 80, 0, 0}},
		{types.Type{Kind: types.Blob, Len: 65535}, wireType{252, 63, 65535, 128 | 16, 0}},
		{types.Type{Kind: types.JSON}, wireType{245, 63, 1<<32 - 1, 128 | 16, 0}},
		{types.MakeDateTime(3), wireType{12, 63, 23, 128, 3}},
		{types.Type{Kind: types.Date}, wireType{10, 63, 10, 128, 0}},
		{types.Type{Kind: types.Enum, Enum: "a\x00bcd"}, wireType{254, 255, 12, 256, 0}},
		{types.Type{Kind: types.Null}, wireType{6, 63, 0, 128, 0}},
	} {
		if got := describe(c.t); got != c.want {
			t.Errorf("%v: %v, want %v", c.t, got, c.want)
		}
	}
}
