package exchange

import (
	"testing"

	"streamsql/operators/batch"
)

func rows(n int) *batch.Chunk { return &batch.Chunk{N: n} }

// TestOneBatchAtATime: an edge gives only what belongs to the batch that is open,
// in order, and its messages of later batches wait.
func TestOneBatchAtATime(t *testing.T) {
	woken := 0
	in := NewInbox(2, func() { woken++ })
	in.Send(0, Message{Batch: 1, Chunk: rows(3)})
	in.Send(0, Message{Batch: 1, End: true, Token: 9})
	in.Send(0, Message{Batch: 2, Chunk: rows(5)})
	if woken != 3 {
		t.Errorf("woken %d times by 3 messages", woken)
	}
	if m, ok := in.Peek(0); !ok || m.Batch != 1 {
		t.Errorf("peek: %+v", m)
	}
	if _, ok := in.Peek(1); ok {
		t.Error("the other edge is not empty")
	}
	if _, ok := in.Take(0, 2); ok {
		t.Error("a later batch came first")
	}
	for i, want := range []int{3, 0} {
		if m, ok := in.Take(0, 1); !ok || m.End != (want == 0) || !m.End && m.Chunk.N != want {
			t.Errorf("message %d: %+v, %v", i, m, ok)
		}
	}
	if _, ok := in.Take(0, 1); ok {
		t.Error("a message of batch 2 was given to batch 1")
	}
	if m, ok := in.Take(0, 2); !ok || m.Chunk.N != 5 {
		t.Errorf("batch 2: %+v, %v", m, ok)
	}
}

// TestCreditPerEdge: a full edge stops its own producer only, and wakes it once
// half of it is taken.
func TestCreditPerEdge(t *testing.T) {
	in := NewInbox(2, func() {})
	woken := 0
	wake := func() { woken++ }
	const pieces = 8
	for range pieces {
		if !in.HasCredit(0, wake) {
			t.Fatal("no credit before the edge is full")
		}
		in.Send(0, Message{Batch: 1, Chunk: rows(Credit / pieces)})
	}
	if in.HasCredit(0, wake) {
		t.Error("credit on a full edge")
	}
	if !in.HasCredit(1, func() { t.Error("the wrong producer is woken") }) {
		t.Error("a full edge stops the producer of another")
	}
	for i := range pieces {
		if _, ok := in.Take(0, 1); !ok {
			t.Fatal("a message is gone")
		}
		want := 0
		if i+1 > pieces/2 {
			want = 1
		}
		if woken != want {
			t.Errorf("after %d of %d: woken %d times, want %d", i+1, pieces, woken, want)
		}
	}
	if !in.HasCredit(0, wake) {
		t.Error("no credit on an empty edge")
	}
}

// TestRowsToBeMadeCostNoCredit: a message that stands for rows still to be made
// holds none of them.
func TestRowsToBeMadeCostNoCredit(t *testing.T) {
	in := NewInbox(1, func() {})
	for range 10 {
		in.Send(0, Message{Batch: 1, Rows: func(int) *batch.Chunk { return nil }})
	}
	if !in.HasCredit(0, func() {}) {
		t.Error("no credit")
	}
}
