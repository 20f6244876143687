package operators_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"streamsql/operators"
	"streamsql/operators/batch"
	"streamsql/operators/optest"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// The scripts in testdata tell stories: the first command makes an operator,
// each `batch` feeds it rows and shows what comes out, rows that failed, and the
// error that ends the job if there is one. Rows of a second input stand after a
// line `right`. When a story is over it is told again in all ways of optest.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s *story
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "batch" {
				return s.batch(t, d.Input)
			}
			s.retell(t)
			s = newStory(t, d)
			return ""
		})
		s.retell(t)
	})
}

var typeNames = map[string]types.Type{
	"int": bigint, "uint": ubigint, "text": varchar, "double": double, "dec": dec, "longdec": types.MakeDecimal(65, 0),
}

type story struct {
	optest.Case
	op     operators.Operator
	broken bool // rows failed or the job ended: it is not told again
}

func args(d *datadriven.TestData, name string) []string {
	for _, a := range d.CmdArgs {
		if a.Key == name {
			return a.Vals
		}
	}
	return nil
}

func typesOf(t *testing.T, d *datadriven.TestData, name string) []types.Type {
	var ts []types.Type
	for _, v := range args(d, name) {
		ty, ok := typeNames[v]
		if !ok {
			t.Fatalf("%s: no type %s", d.Pos, v)
		}
		ts = append(ts, ty)
	}
	return ts
}

func ints(t *testing.T, d *datadriven.TestData, name string) []int {
	var out []int
	for _, v := range args(d, name) {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("%s: %s", d.Pos, v)
		}
		out = append(out, n)
	}
	return out
}

func newStory(t *testing.T, d *datadriven.TestData) *story {
	s := &story{}
	in := typesOf(t, d, "in")
	keys := ints(t, d, "keys")
	env := operators.Env{Node: d.Cmd}
	s.Inputs = [][]types.Type{in}
	switch d.Cmd {
	case "merge", "two-phase":
		spec := operators.AggSpec{Input: in, Keys: keys, AppendOnly: d.HasArg("append-only")}
		for _, a := range args(d, "aggs") {
			p := strings.Split(a, ":")
			name, distinct := strings.CutSuffix(p[0], "-distinct")
			var cols []int
			for _, c := range p[1:] {
				n, _ := strconv.Atoi(c)
				cols = append(cols, n)
			}
			spec.Aggs = append(spec.Aggs, call(t, in, name, distinct, cols...))
		}
		if s.New = func() (operators.Operator, error) { return operators.NewMerge(spec, env) }; d.Cmd == "two-phase" {
			s.New = func() (operators.Operator, error) { return newTwoPhase(spec) }
		}
		s.Keys = partable(keys)
	case "distinct":
		s.New = func() (operators.Operator, error) { return operators.NewDistinct(in, env) }
	case "join":
		right := typesOf(t, d, "right")
		spec := operators.JoinSpec{Left: in, Right: right, LeftKeys: keys, RightKeys: ints(t, d, "right-keys")}
		for name, kind := range joinKinds {
			if d.HasArg(name) {
				spec.Kind = kind
			}
		}
		if less := ints(t, d, "less"); less != nil {
			all := slices.Concat(in, right)
			spec.Residual = []*expr.Expr{fn(t, "<", expr.NewColumn(less[0], "a", all[less[0]]), expr.NewColumn(less[1], "b", all[less[1]]))}
		}
		s.Inputs = append(s.Inputs, right)
		s.New = func() (operators.Operator, error) { return operators.NewJoin(spec, env) }
	case "view":
		s.New = func() (operators.Operator, error) {
			return operators.NewView(operators.ViewSpec{Input: in, Key: keys}, env)
		}
		s.Changes = func(op operators.Operator) []*batch.Chunk { return op.(*operators.View).Changes() }
	default:
		t.Fatalf("%s: no operator %s", d.Pos, d.Cmd)
	}
	var err error
	if s.op, err = s.New(); err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	return s
}

func (s *story) batch(t *testing.T, text string) string {
	parts := strings.SplitN("\n"+text+"\n", "\nright\n", 2)
	var inputs, out []*batch.Chunk
	for k, ts := range s.Inputs {
		inputs = append(inputs, batch.New(ts, 0))
		if k < len(parts) {
			inputs[k] = batch.MustParse(ts, parts[k])
		}
	}
	var failures strings.Builder
	s.op.Begin(&operators.Batch{Changes: true, ID: uint64(len(s.Batches)), Fail: func(e operators.RowError) {
		fmt.Fprintf(&failures, "%+d %s %s: %v\n", e.Weight, e.Operator, e.Row, e.Err)
	}})
	s.Batches = append(s.Batches, inputs)
	for k, c := range inputs {
		s.op.Push(k, c)
		s.op.CloseInput(k)
	}
	for status := operators.More; status == operators.More; {
		var err error
		if status, err = s.op.Step(100, func(c *batch.Chunk) { out = append(out, c) }); err != nil {
			s.broken = true
			return "error: " + err.Error() + "\n"
		}
	}
	if s.Changes != nil {
		out = s.Changes(s.op)
	}
	s.broken = s.broken || failures.Len() > 0
	return batch.Text(out...) + failures.String()
}

func (s *story) retell(t *testing.T) {
	if s != nil && !s.broken {
		s.Run(t)
	}
}
