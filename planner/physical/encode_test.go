package physical

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"streamsql/sql/agg"
	"streamsql/sql/decimal"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Any plan, even a senseless one, comes back from its stored form as it was.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Plan{Version: Version, Root: drawNode(t, 3), Output: drawFields(t), Key: drawInts(t), AppendOnly: rapid.Bool().Draw(t, "append")}
		if rapid.Bool().Draw(t, "times") {
			p.Times = map[int]Time{1: {Watermark: Watermark{{Table: 7, Delay: -3}}, Late: true}, 4: {Closes: Watermark{{Table: 9}}}}
		}
		Number(p.Root)
		b, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, q) {
			t.Fatalf("%s came back as another plan", b)
		}
		head, err := Head(b)
		if err != nil {
			t.Fatal(err)
		}
		q.Root = nil
		if !reflect.DeepEqual(head, q) {
			t.Fatalf("%s has another head", b)
		}
	})
}

// Head does not read the nodes, but skips those of a plan that has them in front.
func TestHead(t *testing.T) {
	const rest = `"output":[{"name":"a","type":{}}],"append_only":true`
	for _, text := range []string{
		`{"version":1,` + rest + `,"root":not read`,
		`{"version":1,"root":{"id":1,"inputs":[{"id":2}]},` + rest + `}`,
	} {
		p, err := Head([]byte(text))
		if err != nil || !p.AppendOnly || len(p.Output) != 1 || p.Root != nil {
			t.Errorf("%s: %+v, %v", text, p, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":2,"root":{"id":1,"kind":"NewKind"}}`: "version 2 is not known",
		`{"root":{"id":1}}`: "version 0 is not known",
		`{"version":1}`:     "no root",
		`{"version":1,`:     "decode plan",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", text, err, want)
		}
	}
}

func TestTables(t *testing.T) {
	read := func(id uint64) *Node { return &Node{Kind: Source, Source: &SourceSpec{Table: id}} }
	p := &Plan{Root: &Node{Kind: Union, Inputs: []*Node{read(9), read(0), read(3), read(9)}}}
	if got := p.Tables(); !reflect.DeepEqual(got, []uint64{9, 3}) {
		t.Errorf("got %v", got)
	}
}

// drawNode makes a node with up to depth levels below it.
func drawNode(t *rapid.T, depth int) *Node {
	n := &Node{Fields: drawFields(t)}
	n.Kind = rapid.SampledFrom([]Kind{Source, Values, Map, Shuffle, Reduce, Merge, Distinct, Join, Union, Sort, SetOp, Expand, TemporalJoin, LookupJoin, TopN, Over}).Draw(t, "kind")
	if depth > 0 {
		for range rapid.IntRange(0, 2).Draw(t, "inputs") {
			n.Inputs = append(n.Inputs, drawNode(t, depth-1))
		}
	}
	n.Props = Props{Keys: drawKeys(t), AppendOnly: rapid.Bool().Draw(t, "append"), State: drawName(t), Unbounded: drawName(t)}
	switch n.Kind {
	case Source:
		n.Source = &SourceSpec{Table: rapid.Uint64().Draw(t, "table"), Name: drawName(t), Columns: drawInts(t)}
	case Values:
		n.Values = append(n.Values, drawExprs(t))
	case Map:
		n.Map = &MapSpec{Filter: drawExprs(t), Project: drawExprs(t)}
		if rapid.Bool().Draw(t, "no columns") {
			n.Map.Project = []*expr.Expr{}
		}
	case Shuffle:
		n.Shuffle = &ShuffleSpec{Kind: Hash, Keys: drawInts(t)}
	case Reduce, Merge:
		n.Agg = &AggSpec{Keys: drawInts(t), Partial: rapid.Bool().Draw(t, "partial"), Aggs: []agg.Call{
			{Fn: "sum", Args: drawExprs(t), Distinct: rapid.Bool().Draw(t, "distinct"), Type: drawType(t)},
			{Fn: "group_concat", Args: drawExprs(t), Desc: []bool{true, false}, Apart: 1, Filtered: true, Separator: drawName(t), MaxLen: 7},
			{Fn: "percentile_disc", Fraction: 0.1, Reverse: true, Type: drawType(t)},
		}}
	case Expand:
		n.Expand = &ExpandSpec{Keys: drawInts(t), Sets: [][]int{{1, 0}, {}}}
	case Join:
		n.Join = &JoinSpec{Kind: LeftJoin, LeftKeys: drawInts(t), RightKeys: drawInts(t), NullSafe: []bool{true, false}, Residual: drawExprs(t)}
	case SetOp:
		n.SetOp = &SetOpSpec{Kind: Except, All: rapid.Bool().Draw(t, "all")}
	case TemporalJoin, LookupJoin, VersionJoin:
		n.Timed = &TimedJoinSpec{
			Outer: rapid.Bool().Draw(t, "outer"), LeftKeys: drawInts(t), RightKeys: drawInts(t), NullSafe: []bool{false}, Residual: drawExprs(t),
			AppendOnly: true, LeftTime: 1, RightTime: 2, Order: ">=", LeftWatermark: Watermark{{Table: 3, Delay: -1}}, Table: 4, Name: drawName(t), Columns: drawInts(t),
			Versions: &VersionSpec{Lateness: Lateness{Late: -1, Closed: Watermark{{Table: 3}}}, Watermark: 1, Arrival: 2, Deleted: rapid.Int().Draw(t, "deleted")},
		}
	case Over:
		n.Over = &OverSpec{Partition: drawInts(t), Order: []SortKey{{Col: 1, Desc: true}}, Funcs: []OverFunc{
			{Fn: "lag", Args: drawInts(t), N: 2, Type: drawType(t)},
			{Call: &agg.Call{Fn: "sum", Type: drawType(t)}, Frame: &Frame{Unit: FrameRange, Start: Bound{Kind: Preceding, Col: 3}, End: Bound{Kind: CurrentRow}}},
		}}
	case TopN:
		n.TopN = &TopNSpec{Partition: drawInts(t), Order: []SortKey{{Col: 1}}, Func: Rank, Limit: rapid.Int64().Draw(t, "limit"), Number: rapid.Bool().Draw(t, "number")}
	case Sort:
		n.Sort = &SortSpec{Keys: []SortKey{{Col: 1, Desc: rapid.Bool().Draw(t, "desc")}}, Limit: rapid.Int64().Draw(t, "limit")}
	}
	return n
}

func drawFields(t *rapid.T) []Field {
	var fs []Field
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		fs = append(fs, Field{Name: drawName(t), Type: drawType(t)})
	}
	return fs
}

func drawName(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "ü `x`", "\x00"}).Draw(t, "name")
}

func drawKeys(t *rapid.T) [][]int {
	return rapid.SampledFrom([][][]int{nil, {{}}, {{0}, {1, 2}}}).Draw(t, "keys")
}

func drawInts(t *rapid.T) []int {
	return rapid.SampledFrom([][]int{nil, {0}, {3, 1}}).Draw(t, "ints")
}

func drawType(t *rapid.T) types.Type {
	return rapid.SampledFrom([]types.Type{
		types.MakeBigInt(), types.MakeBool(), types.MakeDecimal(65, 30), types.MakeDouble(), types.MakeVarChar(7), types.MakeDateTime(6),
		{Kind: types.Enum, Enum: "a\x00b", NotNull: true}, {Kind: types.BigInt, Unsigned: true},
	}).Draw(t, "type")
}

func drawExprs(t *rapid.T) []*expr.Expr {
	var list []*expr.Expr
	for range rapid.IntRange(0, 2).Draw(t, "exprs") {
		list = append(list, drawExpr(t, 2))
	}
	return list
}

func drawExpr(t *rapid.T, depth int) *expr.Expr {
	switch rapid.IntRange(0, 5).Draw(t, "expr") {
	case 0:
		return expr.NewConst(expr.Value{I: rapid.Int64().Draw(t, "int")}, drawType(t))
	case 1:
		return expr.NewConst(expr.Value{F: rapid.Float64().Filter(func(f float64) bool { return f*0 == 0 }).Draw(t, "float")}, types.MakeDouble())
	case 2:
		w := decimal.Wide{rapid.Uint64().Draw(t, "limb"), 1, 2, rapid.Uint64().Draw(t, "limb")}
		return expr.NewConst(expr.Value{Wide: &w}, types.MakeDecimal(65, 2))
	case 3:
		return expr.NewConst(expr.Value{S: rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes")}, types.MakeVarChar(9))
	case 4:
		if depth > 0 {
			return expr.NewCall("+", drawType(t), drawExpr(t, depth-1), drawExpr(t, depth-1))
		}
		return expr.NewNull()
	}
	return expr.NewColumn(rapid.IntRange(0, 99).Draw(t, "col"), drawName(t), drawType(t))
}

// TestShared: a node with two readers is one node again when it is read back.
func TestShared(t *testing.T) {
	merge := &Node{Kind: Merge, Inputs: []*Node{{Kind: Source, Source: &SourceSpec{Table: 1, Columns: []int{0}}}}, Agg: &AggSpec{Keys: []int{0}}}
	root := &Node{Kind: Union, Inputs: []*Node{merge, {Kind: Map, Map: &MapSpec{}, Inputs: []*Node{merge}}}}
	Number(root)
	b, err := Encode(&Plan{Version: Version, Root: root})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if in := p.Root.Inputs; in[0] != in[1].Inputs[0] {
		t.Error("the shared node became two")
	}
	var ids []int
	Walk(p.Root, func(n *Node) bool { ids = append(ids, n.ID); return true })
	if want := []int{1, 2, 3, 4}; !slices.Equal(ids, want) {
		t.Errorf("the walk sees %v, want %v", ids, want)
	}
}
