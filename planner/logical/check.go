package logical

import (
	"errors"
	"fmt"
	"maps"

	"streamsql/sql/expr"
	"streamsql/sql/types"
)

// Check verifies that a tree is sound: each expression reads columns that its
// input has, and takes none for NOT NULL that is not; no id is there twice. An
// error is a fault of a rule or of the bound tree, not of the user.
func Check(t *Tree) error {
	if err := check(t.Root, nil); err != nil {
		return err
	}
	cols := byID(t.Root.Columns())
	for _, c := range t.Out {
		if _, ok := cols[c.ID]; !ok {
			return fmt.Errorf("plan: output %s is not a column of %s", colName(c), t.Root)
		}
	}
	return nil
}

// check checks n; outer are the columns of Applies around it.
func check(n Node, outer map[int]Col) error {
	in := map[int]Col{}
	for k, i := range n.Inputs() {
		around := outer
		if _, ok := n.(*Apply); ok && k == 1 {
			around = maps.Clone(in)
			maps.Copy(around, outer)
		}
		if err := check(i, around); err != nil {
			return err
		}
		for _, c := range i.Columns() {
			if _, twice := in[c.ID]; twice {
				if !ownColumns(n) {
					return fmt.Errorf("plan: %s is in both inputs of %s", colName(c), n)
				}
			}
			in[c.ID] = c
		}
	}
	seen := ColSet{}
	for _, c := range n.Columns() {
		if seen[c.ID] {
			return fmt.Errorf("plan: %s is twice in %s", colName(c), n)
		}
		seen[c.ID] = true
	}
	for _, e := range n.Exprs() {
		if err := checkExpr(e, in, outer, n); err != nil {
			return err
		}
	}
	return checkRefs(n)
}

// ownColumns reports a node whose columns have ids of their own, so that its
// inputs may share some.
func ownColumns(n Node) bool {
	switch n.(type) {
	case *Union, *SetOp:
		return true
	}
	return false
}

func checkExpr(e *expr.Expr, in, outer map[int]Col, n Node) (err error) {
	e.Walk(func(x *expr.Expr) bool {
		if x.Op != expr.OpColumn || err != nil {
			return err == nil
		}
		c, ok := in[x.Col]
		if !ok {
			c, ok = outer[x.Col]
		}
		if !ok {
			err = fmt.Errorf("plan: %s#%d is no input of %s", x.Name, x.Col, n)
		} else if x.Type.Nullable() != c.Type.Nullable() || x.Type.NotNull && !c.Type.NotNull {
			err = fmt.Errorf("plan: %s#%d has another type than in %s", x.Name, x.Col, n)
		}
		return err == nil
	})
	return err
}

// checkRefs verifies the columns that nodes name outside of expressions.
func checkRefs(n Node) error {
	need := func(in Node, id int) error {
		if !SetOf(in.Columns())[id] {
			return fmt.Errorf("plan: #%d is no input of %s", id, n)
		}
		return nil
	}
	switch n := n.(type) {
	case *Sort:
		for _, k := range n.Keys {
			if err := need(n.Input, k.Col); err != nil {
				return err
			}
		}
	case *Over:
		for _, id := range n.Needs() {
			if err := need(n.Input, id); err != nil {
				return err
			}
		}
	case *TopN:
		for _, id := range n.Reads() {
			if err := need(n.Input, id); err != nil {
				return err
			}
		}
	case *Join:
		return checkKeys(n.Keys, n.Left, n.Right, need)
	case *TimedJoin:
		left, right := n.Reads()
		for _, id := range left {
			if err := need(n.Left, id); err != nil {
				return err
			}
		}
		for _, id := range right {
			if err := need(n.Right, id); err != nil {
				return err
			}
		}
		return checkKeys(n.Keys, n.Left, n.Right, need)
	case *Union:
		return checkInputs(n, n.Ins, n.Cols, n.From)
	case *SetOp:
		return checkInputs(n, n.Ins, n.Cols, n.From)
	case *Values:
		for _, r := range n.Rows {
			if len(r) != len(n.Cols) {
				return fmt.Errorf("plan: a row of %s has %d columns", n, len(r))
			}
		}
	}
	return nil
}

// checkInputs verifies that the columns of each input of n are of its columns' types.
func checkInputs(n Node, ins []Node, cols []Col, from [][]int) error {
	for i, ids := range from {
		if len(ids) != len(cols) {
			return fmt.Errorf("plan: input %d of %s has %d columns", i, n, len(ids))
		}
		in := byID(ins[i].Columns())
		for k, id := range ids {
			c, ok := in[id]
			if !ok {
				return fmt.Errorf("plan: #%d is no input of %s", id, n)
			}
			if a, b := c.Type, cols[k].Type; a.Class() != b.Class() || a.Class() == types.ClassDecimal && a.Scale != b.Scale {
				return fmt.Errorf("plan: %s is of another type in input %d of %s", colName(cols[k]), i, n)
			}
		}
	}
	return nil
}

func checkKeys(keys []JoinKey, left, right Node, need func(Node, int) error) error {
	for _, k := range keys {
		if err := errors.Join(need(left, k.Left.ID), need(right, k.Right.ID)); err != nil {
			return err
		}
	}
	return nil
}
