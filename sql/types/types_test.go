package types

import (
	"testing"
	"time"
)

func TestCivilRoundTrip(t *testing.T) {
	for days := int64(-719528); days <= 2932896; days += 13 {
		y, m, d := CivilFromDays(days)
		if got := DaysFromCivil(y, m, d); got != days {
			t.Fatalf("%d → %d-%d-%d → %d", days, y, m, d, got)
		}
		ref := time.Unix(days*86400, 0).UTC()
		if y != ref.Year() || m != int(ref.Month()) || d != ref.Day() {
			t.Fatalf("%d → %d-%d-%d, want %s", days, y, m, d, ref)
		}
	}
}

func TestParseDateTime(t *testing.T) {
	for in, want := range map[string]string{
		"2024-01-02": "2024-01-02 00:00:00.000000", "2024-1-2 3:4:5": "2024-01-02 03:04:05.000000",
		"24-1-2": "2024-01-02 00:00:00.000000", "70-1-2": "1970-01-02 00:00:00.000000",
		"20240102030405": "2024-01-02 03:04:05.000000", "20240102": "2024-01-02 00:00:00.000000",
		"240102": "2024-01-02 00:00:00.000000", "2024/01/02T10.11.12": "2024-01-02 10:11:12.000000",
		"2024-01-01 10:00:00.1239": "2024-01-01 10:00:00.123900", "2024-01-01 10:00:00.9999999": "2024-01-01 10:00:01.000000",
		"2024-01-01 10:00:00+05:30": "2024-01-01 04:30:00.000000", "2024-02-29 23:59": "2024-02-29 23:59:00.000000",
		" 2024-01-02": "2024-01-02 00:00:00.000000",
		"2023-02-29":  "", "2024-13-01": "", "0000-00-00": "", "bad": "", "2024-01-01 25:00:00": "", "2024-01": "", "": "",
	} {
		p := ParseDateTime([]byte(in))
		got := ""
		if p.OK {
			got = string(AppendDateTime(nil, p.US, 6))
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if p := ParseDateTime([]byte("2024-01-02x")); !p.OK || !p.Cut {
		t.Errorf("garbage after a date: %+v", p)
	}
}

func TestParseTime(t *testing.T) {
	for in, want := range map[string]string{
		"10:11:12": "10:11:12.000000", "101112": "10:11:12.000000", "-10:00:00.5": "-10:00:00.500000", "1 2:3:4": "26:03:04.000000",
		"838:59:59": "838:59:59.000000", "900:00:00": "838:59:59.000000", "10:11": "10:11:00.000000", "11": "00:00:11.000000",
		"2024-01-02 03:04:05": "03:04:05.000000", "1 2": "26:00:00.000000", "10:60:00": "", "x": "", "-": "",
	} {
		p := ParseTime([]byte(in))
		got := ""
		if p.OK {
			got = string(AppendTime(nil, p.US, 6))
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNumbersAsTimes(t *testing.T) {
	for in, want := range map[int64]string{
		20240102030405: "2024-01-02 03:04:05", 20240102: "2024-01-02 00:00:00", 240102: "2024-01-02 00:00:00",
		991231: "1999-12-31 00:00:00", 240102030405: "2024-01-02 03:04:05", 20241301: "", 5: "", 0: "", -1: "",
	} {
		p, got := DateTimeFromNumber(in), ""
		if p.OK {
			got = string(AppendDateTime(nil, p.US, 0))
		}
		if got != want {
			t.Errorf("%d: %q, want %q", in, got, want)
		}
	}
}

func TestDoubles(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 0.1: "0.1", 1e20: "1e20", 1e14: "100000000000000", 1e15: "1e15", 1.5: "1.5", -2.25: "-2.25", 1e300: "1e300",
		3.3333333333333335e+299: "3.3333333333333335e299", 0.3333333333333333: "0.3333333333333333", 1e-15: "0.000000000000001",
		1e-16: "1e-16", 1.7976931348623157e308: "1.7976931348623157e308", 123456789: "123456789", 1.2345678901234568e17: "1.2345678901234568e17",
	} {
		if got := string(AppendDouble(nil, f, NotFixed)); got != want {
			t.Errorf("%g: %s, want %s", f, got, want)
		}
	}
	for f, want := range map[float64]string{16777216: "16777200", float64(float32(0.1)): "0.1", 1e10: "10000000000", 3.14159274: "3.14159"} {
		if got := string(AppendFloat(nil, f, NotFixed)); got != want {
			t.Errorf("float %g: %s, want %s", f, got, want)
		}
	}
	if got := string(AppendDouble(nil, 2.5, 2)); got != "2.50" {
		t.Errorf("DOUBLE(M,2): %s", got)
	}
}

func TestNames(t *testing.T) {
	for want, typ := range map[string]Type{
		"bigint unsigned": {Kind: BigInt, Unsigned: true}, "decimal(12,2)": MakeDecimal(12, 2), "datetime(3)": MakeDateTime(3),
		"varchar(32)": MakeVarChar(32), "tinyint(1)": MakeBool(), "enum('a','it''s')": {Kind: Enum, Enum: "a\x00it's"},
		"double": MakeDouble(), "longtext": {Kind: Text, Len: 1<<32 - 1}, "text": {Kind: Text, Len: 65535}, "tinyblob": {Kind: Blob, Len: 255},
		"timestamp": {Kind: Timestamp}, "year": {Kind: Year, Unsigned: true},
	} {
		if got := typ.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if lo, hi := (Type{Kind: MediumInt}).IntRange(); lo != -8388608 || hi != 8388607 {
		t.Error("mediumint", lo, hi)
	}
	if _, hi := (Type{Kind: BigInt, Unsigned: true}).IntRange(); hi != -1 {
		t.Error("bigint unsigned", hi)
	}
	if _, hi := (Type{Kind: BigInt}).IntRange(); hi != 1<<63-1 {
		t.Error("bigint", hi)
	}
}

func TestZones(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zone data: ", err)
	}
	clock := func(s string) int64 { return ParseDateTime([]byte(s)).US }
	for _, c := range []struct {
		local, utc string
		ok         bool
	}{
		{"2024-01-15 12:00:00", "2024-01-15 11:00:00", true},
		{"2024-07-15 12:00:00", "2024-07-15 10:00:00", true},
		{"2024-03-31 02:30:00", "2024-03-31 01:00:00", false},
		{"2024-10-27 02:30:00", "2024-10-27 00:30:00", true},
	} {
		got, ok := FromClock(clock(c.local), loc)
		if got != clock(c.utc) || ok != c.ok {
			t.Errorf("%s: %s %v, want %s %v", c.local, AppendDateTime(nil, got, 0), ok, c.utc, c.ok)
		}
	}
	if got := ToClock(clock("2024-07-15 10:00:00"), loc); got != clock("2024-07-15 12:00:00") {
		t.Error("ToClock", got)
	}
}
