package planner

import (
	"testing"

	"streamsql/catalog"
	"streamsql/planner/explain"
	"streamsql/sql/agg"
	"streamsql/sql/bind"
	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func TestSellers(t *testing.T) {
	notNull := types.MakeBigInt()
	notNull.NotNull = true
	money := types.MakeDecimal(12, 2)
	trades := &catalog.Table{
		ID: 7, Database: "shop", Name: "trades", Kind: catalog.StreamTable,
		Columns: []catalog.Column{{Name: "seller", Type: notNull}, {Name: "buyer", Type: types.MakeBigInt()}, {Name: "amount", Type: money}},
	}
	scan := &bind.Scan{Table: trades, Cols: []bind.Col{{ID: 1, Name: "seller", Type: notNull}, {ID: 2, Name: "buyer", Type: types.MakeBigInt()}, {ID: 3, Name: "amount", Type: money}}}
	amount := expr.NewColumn(3, "amount", money)
	sum := types.MakeDecimal(34, 2)
	sel := &bind.Select{
		From:    scan,
		Where:   []*expr.Expr{expr.NewCall(">", types.MakeBool(), amount, expr.NewConst(expr.Value{}, types.MakeDecimal(12, 2)))},
		Grouped: true,
		GroupBy: []bind.Computed{{Col: bind.Col{ID: 4, Name: "seller", Type: notNull}, Expr: expr.NewColumn(1, "seller", notNull)}},
		Aggs:    []bind.Aggregate{{Col: bind.Col{ID: 5, Name: "SUM(amount)", Type: sum}, Call: agg.Call{Fn: "sum", Args: []*expr.Expr{amount}, Type: sum}}},
		Project: []bind.Computed{
			{Col: bind.Col{ID: 6, Name: "seller", Type: notNull}, Expr: expr.NewColumn(4, "seller", notNull)},
			{Col: bind.Col{ID: 7, Name: "SUM(amount)", Type: sum}, Expr: expr.NewColumn(5, "SUM(amount)", sum)},
		},
	}
	p, err := Plan(&bind.Query{Root: sel, Out: sel.Columns(), Limit: -1}, Options{Continuous: true})
	if err != nil {
		t.Fatal(err)
	}
	want := `Merge 1: SUM(amount) BY seller  [key (seller); retract; state: one row per key, unbounded]
└─ Shuffle 2: hash(seller)  [append-only]
   └─ Reduce 3: SUM(amount) BY seller  [append-only]
      └─ Map 4: WHERE amount > 0.00  [append-only]
         └─ Source 5: shop.trades (seller, amount)  [append-only]
`
	if got := explain.Text(p); got != want {
		t.Errorf("got\n%s", got)
	}
}
