package logical

import (
	"fmt"
	"slices"
	"strings"

	"streamsql/sql/bind"
	"streamsql/sql/expr"
)

// RankFunc says by which function a TopN numbers the rows of a partition.
type RankFunc uint8

// The functions that number.
const (
	RowNumber RankFunc = iota
	Rank
	DenseRank
)

func (f RankFunc) String() string { return [...]string{"ROW_NUMBER", "RANK", "DENSE_RANK"}[f] }

// TopN keeps of each partition the rows whose number, from 1 on in the order of
// Order, is above Offset and at most Offset + Limit. Unlike a Sort it gives its
// rows in no order, and is kept up to date.
type TopN struct {
	Input     Node
	Partition []int // column ids; none: all rows are one partition
	Order     []bind.Order
	// Ties are the columns, in order, that part rows which Order holds equal. Rows
	// that agree in these too may change places.
	Ties   []int
	Rank   RankFunc
	Limit  int64 // −1: none
	Offset int64
	Number *Col // a column that tells the row's number, after the input's; nil: none
}

// Columns of a TopN: its input's, then the number.
func (t *TopN) Columns() []Col {
	if t.Number == nil {
		return t.Input.Columns()
	}
	return append(slices.Clone(t.Input.Columns()), *t.Number)
}

// Inputs of a TopN.
func (t *TopN) Inputs() []Node { return []Node{t.Input} }

// WithInputs puts the TopN over another input.
func (t *TopN) WithInputs(in []Node) Node {
	out := *t
	out.Input = in[0]
	return &out
}

// Exprs of a TopN: none, what it orders by are columns.
func (t *TopN) Exprs() []*expr.Expr { return nil }

// WithExprs returns t.
func (t *TopN) WithExprs(func(*expr.Expr) *expr.Expr) Node { return t }

// Reads are the columns of the input that decide which rows stay.
func (t *TopN) Reads() []int {
	ids := append(slices.Clone(t.Partition), t.Ties...)
	for _, k := range t.Order {
		ids = append(ids, k.Col)
	}
	return ids
}

func (t *TopN) String() string {
	names := byID(t.Input.Columns())
	out := "TopN"
	if t.Rank != RowNumber || t.Number != nil {
		out += " " + t.Rank.String()
	}
	if len(t.Partition) > 0 {
		out += " PARTITION BY " + namesOf(t.Partition, names)
	}
	if len(t.Order) > 0 {
		out += " ORDER BY " + orderText(t.Order, names)
	}
	if len(t.Ties) > 0 {
		out += " THEN " + namesOf(t.Ties, names)
	}
	if t.Limit >= 0 {
		out += fmt.Sprintf(" LIMIT %d", t.Limit)
	}
	if t.Offset > 0 {
		out += fmt.Sprintf(" OFFSET %d", t.Offset)
	}
	if t.Number != nil {
		out += " AS " + colName(*t.Number)
	}
	return out
}

func namesOf(ids []int, cols map[int]Col) string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = colName(cols[id])
	}
	return strings.Join(list, ", ")
}

func orderText(order []bind.Order, cols map[int]Col) string {
	list := make([]string, len(order))
	for i, k := range order {
		list[i] = colName(cols[k.Col])
		if k.Desc {
			list[i] += " DESC"
		}
	}
	return strings.Join(list, ", ")
}

// topN: the rows that a partition gives are known by their number too.
func (d *Deriver) topN(n *TopN) *Props {
	in := d.Props(n.Input)
	p := &Props{Keys: slices.Clip(in.Keys), AppendOnly: d.oneBatch, Grows: in.Grows && (len(n.Partition) > 0 || n.Limit < 0)}
	p.Keys = d.outlast(p.Keys, n.Input, n.Partition)
	part := sorted(slices.Clone(n.Partition))
	if n.Rank != RowNumber {
		return p
	}
	if n.Limit == 0 || n.Limit == 1 {
		p.Keys = append(p.Keys, part)
	}
	if n.Number != nil {
		p.Keys = append(p.Keys, sorted(append(part, n.Number.ID)))
	}
	return p
}
