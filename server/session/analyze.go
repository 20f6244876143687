package session

import (
	"context"
	"fmt"
	"time"

	"streamsql/engine"
	"streamsql/planner/explain"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// analyzeView runs EXPLAIN ANALYZE of a continuous query: its plan, and what it has
// done since the server was started; or the plan alone, for EXPLAIN.
func (s *Session) analyzeView(b *bind.Analyze) (*Result, error) {
	x, ok := s.server.engine.Analyze(b.Query.ID)
	if !ok {
		return nil, sqlerr.New(sqlerr.UnknownError, "'%s.%s' does not run", b.Query.Database, b.Query.Name)
	}
	if b.PlanOnly {
		return planned(x.Plan, x.Shared, b.Format), nil
	}
	st := x.Status
	a := &explain.Analysis{Plan: x.Plan, By: figuresOf(x.Operators), Shared: x.Shared}
	a.Head = []string{
		fmt.Sprintf("%s.%s: %s, at batch %d, %d rows, %s of memory", b.Query.Database, b.Query.Name, st.State, st.Batch, st.Rows, explain.Size(st.Memory)),
		fmt.Sprintf("%d batches of %d rows taken in, cpu %s; behind by %d batches of %d rows, %s", st.Batches, st.RowsIn,
			st.CPU.Round(time.Microsecond), st.Behind, st.BehindRows, st.Lag.Round(time.Millisecond)),
	}
	a.Facts = map[string]any{
		"database": b.Query.Database, "name": b.Query.Name, "state": st.State, "batch": st.Batch, "rows": st.Rows, "memory_bytes": st.Memory,
		"batches": st.Batches, "rows_in": st.RowsIn, "cpu_ns": st.CPU, "behind_batches": st.Behind, "behind_rows": st.BehindRows, "lag_ms": st.Lag.Milliseconds(),
	}
	if st.Watermark != nil {
		w := watermarkText(*st.Watermark)
		a.Head, a.Facts["watermark"] = append(a.Head, "watermark "+w), w
	}
	if reason := st.Reason + st.Error; reason != "" {
		a.Head, a.Facts["reason"] = append(a.Head, reason), reason
	}
	return analysis(a, b.Format), nil
}

// analyzeQuery runs EXPLAIN ANALYZE of a SELECT: the query, whose rows it only counts.
func (s *Session) analyzeQuery(ctx context.Context, b *bind.Explain) (*Result, error) {
	c := &compiled{bound: b.Statement}
	if err := c.plans(ctx); err != nil {
		return nil, err
	}
	if c.constant != nil {
		return s.explained(ctx, &bind.Explain{Format: b.Format, Statement: b.Statement})
	}
	began := time.Now()
	c.analyze = true
	r, done, err := s.open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	defer r.Close()
	var rows int64
	for {
		chunk, err := r.Next(ctx)
		if err != nil {
			return nil, err
		}
		if chunk == nil {
			break
		}
		for i := range chunk.N {
			rows += chunk.Weight(i)
		}
	}
	took := time.Since(began)
	a := &explain.Analysis{
		Plan: c.plan, Head: []string{fmt.Sprintf("%d rows in %s", rows, took.Round(time.Microsecond))},
		Facts: map[string]any{"rows": rows, "time_ns": took},
	}
	if x, ok := r.(engine.Analyzed); ok {
		a.By = figuresOf(x.Figures())
	}
	return analysis(a, b.Format), nil
}

func figuresOf(by map[int]engine.OperatorFigures) map[int]explain.Figures {
	out := map[int]explain.Figures{}
	for id, f := range by {
		out[id] = explain.Figures{In: f.In, Out: f.Out, CPU: f.CPU, StateRows: f.StateRows, StateBytes: f.StateBytes, Tasks: f.Tasks}
	}
	return out
}

// analysis is an analysis as a result.
func analysis(a *explain.Analysis, format string) *Result {
	t := newTable("EXPLAIN")
	switch format {
	case "json":
		t.add(a.JSON())
	case "dot":
		t.add(a.Dot())
	default:
		t.addLines(a.Text())
	}
	return t.result()
}

// watermarkText is a watermark as its time column shows it.
func watermarkText(w int64) string { return string(types.AppendDateTime(nil, w, 6)) }
