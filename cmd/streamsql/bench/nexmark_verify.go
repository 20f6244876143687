package bench

import (
	"context"
	"fmt"

	"streamsql/cmd/streamsql/bench/nexmark/answers"
)

// verify holds the result of a run over all of the events against what plain loops
// over the same events give. It says how.
func (n *node) verify(ctx context.Context, c nexmarkCase, events int64) (string, error) {
	house, err := answers.Open(map[string]string{"events": fmt.Sprint(events)}, nil)
	if err != nil {
		return "", err
	}
	house.Side = sideTable()
	if c.lane == "b" {
		return n.verifySink(ctx, c, house.Count(c.query))
	}
	want := house.Answer(c.query)
	var got answers.Answer
	if err := n.db.QueryRowContext(ctx, answers.Check(c.query, c.name())).Scan(&got.Rows, &got.Sum); err != nil {
		return "", err
	}
	if got != want {
		return "", fmt.Errorf("after %d events the view has %d rows with the sum of checksums %d, must be %d and %d", events, got.Rows, got.Sum, want.Rows, want.Sum)
	}
	return fmt.Sprint(got.Rows, " rows, each as it must be"), nil
}

// verifySink holds how many rows a sink was left with against how many there must be.
func (n *node) verifySink(ctx context.Context, c nexmarkCase, want uint64) (string, error) {
	var got uint64
	err := n.db.QueryRowContext(ctx, "SELECT delivered - retractions FROM streamsql.sinks WHERE database_name = 'b' AND name = ?", c.name()).Scan(&got)
	if err == nil && got != want {
		err = fmt.Errorf("the sink was left with %d rows, must be %d", got, want)
	}
	return fmt.Sprint(want, " rows left, as many as must be"), err
}
