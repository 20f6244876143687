package types

import "time"

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
