package task

import "time"

// Figures is what the operator of a plan node has done, in all its tasks together.
type Figures struct {
	In, Out    int64 // rows of the changelog
	Steps      int64
	CPU        time.Duration
	StateRows  int64 // as of the last batch of each task
	StateBytes int64
	Tasks      int
}

// Figures are those of a metered flow, by the id of the plan node; 0 is the view.
func (f *Flow) Figures() map[int]Figures {
	out := map[int]Figures{}
	for _, stage := range f.Stages {
		for _, t := range stage {
			for i := range t.Frag.Meters {
				id, m := t.Frag.Nodes[i].ID, &t.Frag.Meters[i]
				if id < 0 {
					continue // passes rows on
				}
				x := out[id]
				x.In, x.Out, x.Steps = x.In+m.In.Load(), x.Out+m.Out.Load(), x.Steps+m.Steps.Load()
				x.CPU += time.Duration(m.Time.Load())
				x.StateRows, x.StateBytes = x.StateRows+m.StateRows.Load(), x.StateBytes+m.StateBytes.Load()
				x.Tasks++
				out[id] = x
			}
		}
	}
	return out
}
