package random

import "slices"

// shrink takes away what a program does not need to keep failing. It tries until
// nothing more can go or the tries are used up; fails runs a candidate.
func shrink(p program, tries int, fails func(program) bool) program {
	try := func(steps []step) bool {
		if tries <= 0 {
			return false
		}
		tries--
		c := program{p.seed, steps, p.forms, p.folds}
		if !fails(c) {
			return false
		}
		p = c
		return true
	}
	for again := true; again && tries > 0; {
		again = dropSteps(&p, try)
		again = dropRows(&p, try) || again
		again = simplifyQueries(&p, try) || again
	}
	return p
}

// dropSteps removes runs of steps, long ones first.
func dropSteps(p *program, try func([]step) bool) bool {
	any := false
	for n := len(p.steps) / 2; n >= 1; n /= 2 {
		for i := 0; i+n <= len(p.steps); {
			if try(slices.Concat(p.steps[:i], p.steps[i+n:])) {
				any = true
			} else {
				i += n
			}
		}
	}
	return any
}

// dropRows removes rows from INSERTs.
func dropRows(p *program, try func([]step) bool) bool {
	any := false
	for i := range p.steps {
		for r := 0; r < len(p.steps[i].rows) && len(p.steps[i].rows) > 1; {
			s := p.steps[i]
			s.rows = slices.Concat(s.rows[:r], s.rows[r+1:])
			if try(replaced(p.steps, i, s)) {
				any = true
			} else {
				r++
			}
		}
	}
	return any
}

// simplifyQueries replaces the query of a view by a simpler one.
func simplifyQueries(p *program, try func([]step) bool) bool {
	any := false
	for i := range p.steps {
		for again := p.steps[i].query != nil; again; {
			again = false
			for _, q := range simpler(p.steps[i].query) {
				s := p.steps[i]
				s.query = q
				if try(replaced(p.steps, i, s)) {
					any, again = true, true
					break
				}
			}
		}
	}
	return any
}

func replaced(steps []step, i int, s step) []step {
	out := slices.Clone(steps)
	out[i] = s
	return out
}

// simpler are the queries with one part less.
func simpler(q *query) []*query {
	var out []*query
	add := func(change func(c *query)) {
		c := *q
		change(&c)
		out = append(out, &c)
	}
	if q.union != nil {
		add(func(c *query) { c.union = nil })
		out = append(out, q.union)
		for _, c := range simpler(q.union) {
			if len(c.items) == len(q.items) {
				add(func(outer *query) { outer.union = c })
			}
		}
	}
	for i := range q.with {
		out = append(out, q.with[i].body)
		for _, body := range simpler(q.with[i].body) {
			add(func(c *query) {
				c.with = slices.Clone(c.with)
				c.with[i].body = body
			})
		}
	}
	if q.limit > 0 {
		add(func(c *query) { c.limit = 0 })
	}
	if q.rollup {
		add(func(c *query) { c.rollup = false })
	}
	if q.distinct {
		add(func(c *query) { c.distinct = false })
	}
	if q.having != "" {
		add(func(c *query) { c.having = "" })
	}
	for i := range q.where {
		add(func(c *query) { c.where = slices.Concat(c.where[:i], c.where[i+1:]) })
	}
	for i := range q.joins {
		add(func(c *query) { c.joins = slices.Concat(c.joins[:i], c.joins[i+1:]) })
		for k := range q.joins[i].on {
			if on := q.joins[i].on; len(on) > 1 {
				add(func(c *query) {
					c.joins = slices.Clone(c.joins)
					c.joins[i].on = slices.Concat(on[:k], on[k+1:])
				})
			}
		}
	}
	for i := range q.group {
		add(func(c *query) { c.group = slices.Concat(c.group[:i], c.group[i+1:]) })
	}
	for i := range q.items {
		if len(q.items) > 1 && q.union == nil {
			add(func(c *query) { c.items = slices.Concat(c.items[:i], c.items[i+1:]) })
		}
	}
	return out
}
