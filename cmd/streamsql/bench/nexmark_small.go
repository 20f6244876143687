package bench

import (
	"context"
	"fmt"
	"slices"

	"streamsql/cmd/streamsql/bench/nexmark"
)

// checkSmall runs the queries of the cases, each once, over the small set of events
// and compares their rows. Nothing is timed before that is right.
func (o *options) checkSmall(ctx context.Context, cases []nexmarkCase) error {
	n, err := startNode(ctx, o)
	if err != nil {
		return err
	}
	defer n.stop()
	if err := n.exec(ctx, nexmark.Schema()...); err != nil {
		return err
	}
	var queries []int
	for _, c := range cases {
		if slices.Contains(queries, c.query) || c.query == nexmark.ByTime {
			continue
		}
		queries = append(queries, c.query)
		if err := n.exec(ctx, viewText(c.query)); err != nil {
			return err
		}
	}
	o.progress.say("the rows of %d queries over the small set of events", len(queries))
	if err := n.exec(ctx, nexmark.Load()...); err != nil {
		return err
	}
	if err := n.exec(ctx, "FLUSH STREAMS"); err != nil {
		return err
	}
	for _, q := range queries {
		got, err := n.rows(ctx, nexmark.Check(q))
		if err != nil {
			return err
		}
		if err := sameLines(got, nexmark.Expected(q)); err != nil {
			return fmt.Errorf("%s over the small set of events: %w", nexmark.Name(q), err)
		}
	}
	return nil
}

// sameLines says where two results differ.
func sameLines(got, want []string) error {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Errorf("%d rows, must be %d: %q is missing", len(got), len(want), want[i])
		case i >= len(want):
			return fmt.Errorf("%d rows, must be %d: %q is too many", len(got), len(want), got[i])
		case got[i] != want[i]:
			return fmt.Errorf("row %d is %q, must be %q", i+1, got[i], want[i])
		}
	}
	return nil
}

func viewText(q int) string {
	return "CREATE MATERIALIZED VIEW " + nexmark.Name(q) + " AS " + nexmark.Text(q)
}

func sinkText(q int) string {
	return "CREATE SINK " + nexmark.Name(q) + " WITH (connector = 'blackhole') AS " + nexmark.Text(q)
}
