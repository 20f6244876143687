package engine

import (
	"time"

	"streamsql/engine/eventtime"
	"streamsql/operators"
)

// emptyCutEvery is how far apart cuts are that only the time calls for, in µs.
const emptyCutEvery = 100_000

// timers know when time alone makes a cut due. Engine.mu guards them.
type timers struct {
	jobs  map[*job]struct{} // with a due time
	least int64             // no job is due before
	alarm *time.Timer
	rings int64 // when the alarm goes off, Never: it does not
	empty int64 // time of the last cut that only the time called for
}

// setDue takes in when the operators of a job have something to do next, as of
// batch id (0: as it was restored). Engine.mu is held.
func (e *Engine) setDue(j *job, id uint64, due int64) {
	if id < j.visit {
		return // the batch that is to see to it comes later
	}
	j.due = due
	if due == operators.Never {
		delete(e.timers.jobs, j)
		return
	}
	e.timers.jobs[j] = struct{}{}
	e.timers.least = min(e.timers.least, due)
	e.ringAt(max(due, e.timers.empty+emptyCutEvery))
}

// takeDue returns the jobs that are due at the time of cut id, which visits them.
// Engine.mu is held.
func (e *Engine) takeDue(id uint64, now int64) []*job {
	if now < e.timers.least {
		return nil
	}
	var due []*job
	e.timers.least = operators.Never
	for j := range e.timers.jobs {
		switch {
		case j.failed != nil || e.jobs[j.id] != j:
			delete(e.timers.jobs, j)
		case j.due <= now:
			delete(e.timers.jobs, j) // it says anew when it has applied the batch
			j.visit = id
			due = append(due, j)
		default:
			e.timers.least = min(e.timers.least, j.due)
		}
	}
	return due
}

// nextMoment is when time alone will make a cut due. Engine.mu is held.
func (e *Engine) nextMoment(now int64) int64 {
	e.streams.Lock()
	defer e.streams.Unlock()
	if e.streams.idleAt <= now { // rows may have come since it was set
		e.streams.idleAt = eventtime.Never
		for _, s := range e.streams.of {
			e.streams.watch(s)
		}
	}
	return min(e.timers.least, e.streams.idleAt)
}

// momentDue reports that time alone calls for a cut now; else it sets the alarm
// for the next time that it will. Engine.mu is held.
func (e *Engine) momentDue(now int64) bool {
	at := e.nextMoment(now)
	if at == operators.Never {
		return false
	}
	at = max(at, e.timers.empty+emptyCutEvery)
	if at > now {
		e.ringAt(at)
		return false
	}
	e.timers.empty = now
	return true
}

// ringAt makes the cutter look at a time, at the latest. Engine.mu is held.
func (e *Engine) ringAt(at int64) {
	if at >= e.timers.rings {
		return
	}
	e.timers.rings = at
	wait := time.Duration(min(at-e.now(), time.Hour.Microseconds())) * time.Microsecond
	if e.timers.alarm == nil {
		e.timers.alarm = time.AfterFunc(wait, e.ring)
	} else {
		e.timers.alarm.Reset(wait)
	}
}

func (e *Engine) ring() {
	e.mu.Lock()
	e.timers.rings = operators.Never
	e.mu.Unlock()
	e.wakeCutter()
}
