package bench

import (
	"context"
	"fmt"
	"strings"

	"streamsql/cmd/streamsql/bench/nexmark"
)

// verify holds the result of a run, that of a query kept up to date over all of the
// events, against that of the same query asked once. It says how.
func (n *node) verify(ctx context.Context, c nexmarkCase, events int64) (string, error) {
	if c.lane == "b" {
		return n.verifySink(ctx, c)
	}
	names, err := n.rows(ctx, "SELECT column_name FROM information_schema.columns WHERE table_schema = 'b' AND table_name = '"+c.name()+"' ORDER BY ordinal_position")
	if err != nil {
		return "", err
	}
	sum := "SELECT COUNT(*), SUM(CRC32(CONCAT_WS('|', " + strings.Join(names, ", ") + "))) FROM "
	got, err := n.rows(ctx, sum+c.name())
	if err != nil {
		return "", err
	}
	want, err := n.rows(ctx, sum+"("+nexmark.Text(c.query)+") AS once")
	if err != nil {
		return "", err
	}
	if got[0] != want[0] {
		return "", fmt.Errorf("the view has %s (rows, sum of checksums) after %d events, the query asked once %s", got[0], events, want[0])
	}
	rows, _, _ := strings.Cut(got[0], "\t")
	return rows + " rows, as the query gives when it is asked once", nil
}

// verifySink holds how many rows a sink was left with against how many the query
// gives when it is asked once.
func (n *node) verifySink(ctx context.Context, c nexmarkCase) (string, error) {
	got, err := n.rows(ctx, "SELECT delivered - retractions FROM streamsql.sinks WHERE database_name = 'b' AND name = '"+c.name()+"'")
	if err != nil {
		return "", err
	}
	want, err := n.rows(ctx, "SELECT COUNT(*) FROM ("+nexmark.Text(c.query)+") AS once")
	if err != nil {
		return "", err
	}
	if len(got) != 1 || got[0] != want[0] {
		return "", fmt.Errorf("the sink was left with %v rows, the query asked once gives %s", got, want[0])
	}
	return want[0] + " rows left, as many as the query gives when it is asked once", nil
}
