package connector

import (
	"context"
	"errors"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// squares has a row (n, n·n) for every odd n.
type squares struct {
	asked int // keys
	fail  error
}

func (s *squares) Get(_ context.Context, keys *batch.Chunk) (*batch.Chunk, []int32, error) {
	s.asked += keys.N
	if s.fail != nil {
		return nil, nil, s.fail
	}
	rows := batch.New([]types.Type{types.MakeBigInt(), types.MakeBigInt()}, keys.N)
	var of []int32
	for i, n := range keys.Cols[0].I[:keys.N] {
		if n%2 == 1 {
			rows.Cols[0].AppendInt(n)
			rows.Cols[1].AppendInt(n * n)
			rows.PushWeight(1)
			of = append(of, int32(i))
		}
	}
	return rows, of, nil
}

func (s *squares) Close() error { return nil }

func TestCache(t *testing.T) {
	bigint := types.MakeBigInt()
	now := time.Unix(0, 0)
	behind := &squares{}
	c := NewCache(behind, []Column{{"n", bigint}, {"square", bigint}}, []int{0}, 3, time.Minute, func() time.Time { return now })
	get := func(asked int, want string, keys ...int64) {
		t.Helper()
		k := batch.New([]types.Type{bigint}, len(keys))
		for _, n := range keys {
			k.Cols[0].AppendInt(n)
			k.PushWeight(1)
		}
		behind.asked = 0
		_, _, known := c.Try(k)
		rows, of, err := c.Get(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		for r, i := range of {
			if rows.Cols[0].I[r] != keys[i] {
				t.Errorf("row %d is said to be of key %d", rows.Cols[0].I[r], keys[i])
			}
		}
		if got := batch.Text(rows); got != want || behind.asked != asked || known != (asked == 0) {
			t.Errorf("keys %v: got\n%s after asking for %d, known before: %v", keys, got, behind.asked, known)
		}
	}
	get(2, "+ 1 1\n", 1, 2)
	get(0, "+ 1 1\n", 2, 1) // also that 2 has no row
	get(1, "+ 1 1\n+ 3 9\n", 1, 3)
	get(1, "+ 5 25\n", 5) // 2 was not used for longest
	get(0, "+ 1 1\n+ 3 9\n+ 5 25\n", 1, 3, 5)
	get(1, "", 2)
	now = now.Add(time.Minute)
	get(1, "+ 5 25\n", 5)
	behind.fail = errors.New("no")
	if _, _, err := c.Get(t.Context(), batch.MustParse([]types.Type{bigint}, "+1 9")); err == nil || c.Stats().LastError != "no" || c.Stats().Failures != 1 {
		t.Errorf("an error is lost: %v, %+v", err, c.Stats())
	}
	if s := c.Stats(); s.Entries > 3 || s.Misses != 7 {
		t.Errorf("%+v", s)
	}
}
