package agg

import (
	"math"

	"streamsql/sql/vector"
)

// exactState is SUM and AVG of DOUBLE: the number of values that are not NULL,
// 8 bytes, and their exact sum (exact.go). So an insert and its retraction are
// exactly nothing, in whatever order rows come, and SUM is the true sum rounded once.
type exactState struct {
	at   int
	cols []int // the argument; of a partial, sum and number
	avg  bool
}

func (s *exactState) Columns() int { return 2 }

func (s *exactState) Size() int { return 8 + exactSize }

func (s *exactState) Add(rows [][]byte, in []*vector.Vector, lo int, weights []int64) error {
	v := in[s.cols[0]]
	for i, r := range rows {
		if v.IsNull(lo + i) {
			continue
		}
		w := weight(weights, lo+i)
		putInt(r[s.at:], getInt(r[s.at:])+w)
		exactAdd(r[s.at+8:], v.F[lo+i], w)
	}
	return nil
}

func (s *exactState) AddPartial(rows [][]byte, in []*vector.Vector, lo int) error {
	sum, number := in[s.cols[0]], in[s.cols[1]].I
	for i, r := range rows {
		putInt(r[s.at:], getInt(r[s.at:])+number[lo+i])
		exactMerge(r[s.at+8:s.at+8+exactSize], sum.Bytes(lo+i))
	}
	return nil
}

func (s *exactState) AppendPartial(rows [][]byte, out []*vector.Vector) {
	for _, r := range rows {
		out[0].AppendBytes(r[s.at+8 : s.at+8+exactSize])
		out[1].AppendInt(getInt(r[s.at:]))
	}
}

func (s *exactState) AppendResult(rows [][]byte, out *vector.Vector, fail func(int, error)) {
	for i, r := range rows {
		n := getInt(r[s.at:])
		if n == 0 {
			out.AppendNull()
			continue
		}
		x := exactRound(r[s.at+8 : s.at+8+exactSize])
		c := Call{Fn: "sum"}
		if s.avg {
			x, c.Fn = x/float64(n), "avg"
		}
		if math.IsInf(x, 0) {
			out.AppendNull()
			fail(i, outOfRange("DOUBLE", c))
			continue
		}
		out.AppendFloat(x)
	}
}
