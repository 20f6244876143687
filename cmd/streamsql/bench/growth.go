package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"streamsql/cmd/streamsql/settings"
)

// dimension is something of which there can be more, and what it costs then.
type dimension struct {
	name    string // the series of its results
	title   string // of the charts
	axis    string
	sizes   []float64
	measure func(ctx context.Context, o *options, d *dimension) ([]Result, error)
	charts  []chart
}

var dimensions = []*dimension{
	{
		name: "partitions", title: "Partitions of a stream", axis: "partitions", sizes: []float64{1, 2, 4, 8},
		measure: each(measurePartitions),
		charts:  []chart{{"cpu", "CPU seconds for a million events", []chartLine{{"cpu", "all"}}}},
	},
	{
		name: "keys", title: "Keys of a GROUP BY", axis: "keys", sizes: []float64{1e4, 1e5, 1e6, 1e7},
		measure: each(measureKeys),
		charts: []chart{
			{"cpu", "CPU seconds for a million events", []chartLine{{"cpu", "all"}}},
			{"memory", "bytes for a group", []chartLine{{"state", "of the state"}, {"RSS/group", "of the process"}}},
		},
	},
	{
		name: "views", title: "Views over one stream", axis: "views", sizes: []float64{1, 3, 10, 30, 100},
		measure: measureViews,
		charts:  []chart{{"cpu", "CPU seconds for a million bids", []chartLine{{"cpu", "made up"}, {"stored", "sent and stored"}}}},
	},
	{
		name: "columns", title: "Columns", axis: "columns", sizes: []float64{1, 2, 4, 8, 16, 32},
		measure: measureColumns,
		charts:  []chart{{"cpu", "CPU seconds for a million rows", []chartLine{{"written", "written"}, {"read of 32", "read, of 32"}}}},
	},
	{
		name: "batches", title: "Rows of a batch", axis: "rows", sizes: []float64{1, 10, 100, 1e3, 1e4, 1e5},
		measure: each(measureBatches),
		charts:  []chart{{"cpu", "CPU µs for a row", []chartLine{{"cpu", "in all"}, {"view", "of the view"}}}},
	},
}

// each measures one size after the other.
func each(one func(ctx context.Context, o *options, size int) (Result, error)) func(context.Context, *options, *dimension) ([]Result, error) {
	return func(ctx context.Context, o *options, d *dimension) ([]Result, error) {
		var out []Result
		for _, size := range d.sizes {
			r, err := one(ctx, o, int(size))
			if err != nil {
				return out, fmt.Errorf("%s %.0f: %w", d.name, size, err)
			}
			out = append(out, d.result(size, r))
		}
		return out, nil
	}
}

// result names what was measured at a size.
func (d *dimension) result(size float64, r Result) Result {
	r.Name, r.Series, r.X = fmt.Sprintf("%s %.0f", d.name, size), d.name, size
	return r
}

func growthFlags(fs *settings.Flags, o *options) {
	var names []string
	for _, d := range dimensions {
		names = append(names, d.name)
	}
	fs.StringVar(&o.series, "of", "", "what grows: some of `"+strings.Join(names, ",")+"`; empty: each")
	fs.StringVar(&o.svg, "svg", "", "draw the figures as charts into this `directory`")
}

// runGrowth measures each dimension.
func runGrowth(ctx context.Context, o *options) ([]Result, error) {
	wanted, err := o.dimensions()
	if err != nil {
		return nil, err
	}
	var out []Result
	for _, d := range wanted {
		o.progress.say("growth of %s", d.name)
		results, err := d.measure(ctx, o, d)
		if out = append(out, results...); err != nil {
			return append(out, Result{Name: d.name, Wrong: err.Error()}), fmt.Errorf("%s: %w", d.name, err)
		}
	}
	return out, nil
}

// dimensions are those that the flags ask for.
func (o *options) dimensions() ([]*dimension, error) {
	if o.series == "" {
		return dimensions, nil
	}
	var out []*dimension
	for name := range strings.SplitSeq(o.series, ",") {
		i := slices.IndexFunc(dimensions, func(d *dimension) bool { return d.name == strings.TrimSpace(name) })
		if i < 0 {
			return nil, fmt.Errorf("--of: there is nothing called %q", name)
		}
		out = append(out, dimensions[i])
	}
	return out, nil
}
