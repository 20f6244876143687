package types

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// ToClock turns a point of UTC into what the clock of loc (nil: UTC) shows.
func ToClock(us int64, loc *time.Location) int64 {
	if loc == nil || loc == time.UTC {
		return us
	}
	_, offset := time.UnixMicro(us).In(loc).Zone()
	return us + int64(offset)*Second
}

// FromClock turns what the clock of loc (nil: UTC) shows into a point of UTC. Of
// an hour that comes twice it takes the first; in an hour that never comes it
// gives the moment of the change, as MySQL does, and says so with ok = false.
func FromClock(us int64, loc *time.Location) (utc int64, ok bool) {
	if loc == nil || loc == time.UTC {
		return us, true
	}
	// The offsets on both sides of any change near us.
	_, before := time.UnixMicro(us - Day).In(loc).Zone()
	_, after := time.UnixMicro(us + Day).In(loc).Zone()
	for _, offset := range [2]int{max(before, after), min(before, after)} {
		if utc = us - int64(offset)*Second; ToClock(utc, loc) == us {
			return utc, true
		}
	}
	_, end := time.UnixMicro(us - int64(max(before, after))*Second).In(loc).ZoneBounds()
	return end.UnixMicro(), false
}

// Zone finds a time zone as MySQL names them: SYSTEM, an offset from -13:59 to
// +14:00, or a name of the zone database (Europe/Berlin). The empty text is UTC's.
func Zone(name string) (loc *time.Location, ok bool) {
	switch {
	case name == "" || strings.EqualFold(name, "UTC"):
		return time.UTC, true
	case strings.EqualFold(name, "SYSTEM"):
		return time.Local, true
	case strings.EqualFold(name, "Local"): // Go's word, not MySQL's
		return nil, false
	case name[0] == '+' || name[0] == '-':
		return offsetZone(name)
	}
	return namedZone(name)
}

// namedZones are the zones that were asked for, as the database spells them.
var namedZones sync.Map // string → *time.Location

// namedZone finds a zone of the database, whose names count in any case.
func namedZone(name string) (*time.Location, bool) {
	spellings := [...]string{name, strings.ToUpper(name), titled(name)}
	for _, spelling := range spellings {
		if loc, ok := namedZones.Load(spelling); ok {
			return loc.(*time.Location), true
		}
	}
	for _, spelling := range spellings {
		if loc, err := time.LoadLocation(spelling); err == nil {
			namedZones.Store(strings.Clone(spelling), loc)
			return loc, true
		}
	}
	return nil, false
}

// titled spells a name as most of the database's are: Europe/Berlin, US/Eastern.
func titled(name string) string {
	b := []byte(strings.ToLower(name))
	for i, c := range b {
		start := i == 0 || b[i-1] == '/' || b[i-1] == '_' || b[i-1] == '-'
		country := len(b) > 2 && b[2] == '/' && i < 2
		if (start || country) && c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

func offsetZone(name string) (*time.Location, bool) {
	h, m, ok := strings.Cut(name[1:], ":")
	hours, err1 := strconv.ParseUint(h, 10, 8)
	minutes, err2 := strconv.ParseUint(m, 10, 8)
	offset := int(hours*60 + minutes)
	if name[0] == '-' {
		offset = -offset
	}
	switch {
	case !ok || err1 != nil || err2 != nil || len(m) != 2 || minutes > 59 || offset < -(13*60+59) || offset > 14*60:
		return nil, false
	case offset == 0:
		return time.UTC, true
	}
	return time.FixedZone(name, offset*60), true
}
