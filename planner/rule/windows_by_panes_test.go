package rule

import (
	"testing"

	"streamsql/planner/logical"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func TestWindowsByPanes(t0 *testing.T) {
	at := types.Type{Kind: types.DateTime, Scale: 3}
	ts, start, end := typed(7, "ts", at), typed(8, "start", at), typed(9, "end", at)
	windows := func(kind bind.WindowKind, in logical.Node) logical.Node {
		w := &logical.Window{Input: in, Kind: kind, Time: cols(ts)[0], Size: 10, Slide: 2, Start: cols(start)[0], End: cols(end)[0]}
		if kind == bind.Tumble {
			w.Slide = w.Size
		}
		return w
	}
	rows := scan("t", a, b, ts)
	twoPhase := func(n logical.Node) logical.Node {
		n.(*logical.Aggregate).TwoPhase = true
		return n
	}
	counted := call(20, "count")
	runCases(t0, windowsByPanes, []ruleCase{
		{"hopping windows", twoPhase(group(windows(bind.Hop, rows), by(b, start), counted)), nil, `
Aggregate two-phase by panes by (b#2, start#8): COUNT(*) count#20
  Window hop of ts#7 size 10 slide 2 → (start#8, end#9)
    Scan d.t (a#1, b#2, ts#7)
`},
		{"computed columns go below, with what the windows read", twoPhase(group(
			project(windows(bind.Cumulate, rows), as(30, "e", do("+", b, one)), keep(end)), by(end), call(20, "sum", typed(30, "e", types.MakeBigInt())))), nil, `
Aggregate two-phase by panes by (end#9): SUM(e#30) sum#20
  Window cumulate of ts#7 size 10 slide 2 → (start#8, end#9)
    Project e#30 = b#2 + 1, ts#7
      Scan d.t (a#1, b#2, ts#7)
`},
		{"not combined ahead", group(windows(bind.Hop, rows), by(b, start), counted), nil, ""},
		{"no bound among the keys", twoPhase(group(windows(bind.Hop, rows), by(b), counted)), nil, ""},
		{"tumbling", twoPhase(group(windows(bind.Tumble, rows), by(b, start), counted)), nil, ""},
		{"an aggregate of a bound", twoPhase(group(windows(bind.Hop, rows), by(start), call(20, "max", end))), nil, ""},
		{"a value computed of a bound", twoPhase(group(
			project(windows(bind.Hop, rows), keep(start), as(30, "e", is("=", end, start))), by(start, typed(30, "e", types.MakeBool())), counted)), nil, ""},
		{"a value of each copy's own", twoPhase(group(
			project(windows(bind.Hop, rows), keep(start), as(30, "e", do("rand"))), by(start, typed(30, "e", types.MakeBigInt())), counted)), nil, ""},
		{"a filter between", twoPhase(group(filter(windows(bind.Hop, rows), is("<", start, expr.NewInt(4))), by(start), counted)), nil, ""},
	})
}
