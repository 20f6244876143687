package logical

import (
	"strings"

	"streamsql/sql/bind"
)

// useQuery marks every id of a bound query as used, and counts the scans that
// have a column of each name.
func (b *builder) useQuery(q *bind.Query) {
	b.useCols(q.Out)
	b.useRel(q.Root)
}

// useSubqueries does the same for what is in expressions.
func (b *builder) useSubqueries() {
	for i, s := range b.subs {
		b.useCols(s.Params)
		if i == 0 || b.subs[i-1].Query != s.Query {
			b.useQuery(s.Query)
		}
	}
}

func (b *builder) useCols(cols []Col) {
	for _, c := range cols {
		b.ids.use(c.ID)
	}
}

func (b *builder) useRel(r bind.Rel) {
	b.useCols(r.Columns())
	switch r := r.(type) {
	case *bind.Scan:
		for _, c := range r.Cols {
			b.names[strings.ToLower(c.Name)]++
		}
	case *bind.Derived:
		b.useCols(r.Params)
		b.useQuery(r.Query)
	case *bind.Window:
		b.useRel(r.Input)
	case *bind.Unfold:
		if r.Input != nil {
			b.useRel(r.Input)
		}
	case *bind.Join:
		b.useRel(r.Left)
		b.useRel(r.Right)
	case *bind.TimedJoin:
		b.useRel(r.Left)
		b.useRel(r.Right)
	case *bind.Union:
		for _, q := range r.Inputs {
			b.useQuery(q)
		}
	case *bind.SetOp:
		for _, q := range r.Inputs {
			b.useQuery(q)
		}
	case *bind.Select:
		if r.From != nil {
			b.useRel(r.From)
		}
		if r.Window != nil {
			b.useCols([]Col{r.Window.Start, r.Window.End})
		}
		for _, k := range r.GroupBy {
			b.ids.use(k.ID)
		}
		for _, a := range r.Aggs {
			b.ids.use(a.ID)
		}
		for _, w := range r.Overs {
			b.ids.use(w.ID)
		}
	}
}
