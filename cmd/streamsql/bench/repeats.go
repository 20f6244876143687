package bench

import (
	"context"
	"slices"
)

// repeat measures several times, and gives each figure's median. The whole is done
// again each time, so that what disturbs the machine for a while falls on all
// figures alike.
func (m *measurement) repeat(ctx context.Context, o *options) ([]Result, error) {
	var runs [][]Result
	for k := range max(o.repeats, 1) {
		if o.repeats > 1 {
			o.progress.say("%d of %d", k+1, o.repeats)
		}
		results, err := m.run(ctx, o)
		if err != nil {
			return results, err
		}
		runs = append(runs, results)
	}
	return medians(runs), nil
}

// medians are those of the figures of several runs, which have the same results.
func medians(runs [][]Result) []Result {
	first := runs[0]
	if len(runs) == 1 {
		return first
	}
	for i := range first {
		for k := range first[i].Figures {
			f := &first[i].Figures[k]
			var values []float64
			for _, r := range runs {
				if same := r[i].figure(f.Name); same != nil {
					values = append(values, same.Value)
				}
			}
			slices.Sort(values)
			f.Low, f.High = values[0], values[len(values)-1]
			f.Value = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
			if f.Bar != nil {
				f.setBar(*f.Bar)
			}
		}
	}
	return first
}
