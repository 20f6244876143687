package engine

import (
	"time"

	"streamsql/engine/sched"
)

// GroupStatus is what a resource group has used.
type GroupStatus struct {
	Name    string
	Weight  float64
	CPU     time.Duration
	Memory  int64 // bytes
	Queries int   // continuous ones that run in it
}

// Groups are those that CPU is charged to: "default", and "history" for views that
// are being filled, which take what the others leave.
func (e *Engine) Groups() []GroupStatus {
	status := func(g *sched.Group) GroupStatus { return GroupStatus{Name: g.Name, Weight: g.Weight, CPU: g.CPU()} }
	work, history := status(e.group), status(e.history)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, j := range e.jobs {
		switch {
		case j.failed != nil:
		case j.filling:
			history.Queries++
			history.Memory += j.account.Used()
		default:
			work.Queries++
		}
	}
	work.Memory = e.account.Used() - history.Memory
	return []GroupStatus{work, history}
}
