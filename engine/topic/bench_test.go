package topic

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/sql/types"
)

// rowsOf makes n rows of the shape of a small order: two integers, an amount, a
// time and a name.
func rowsOf(n int) *batch.Chunk {
	c := batch.New([]types.Type{types.MakeBigInt(), types.MakeBigInt(), types.MakeDecimal(12, 2), types.MakeDateTime(3), types.MakeVarChar(20)}, n)
	for i := range n {
		c.Cols[0].AppendInt(int64(i * 7919))
		c.Cols[1].AppendInt(int64(i % 100))
		c.Cols[2].AppendInt(int64(i * 31 % 100000))
		c.Cols[3].AppendInt(1.7e15 + int64(i)*1000)
		c.Cols[4].AppendString(fmt.Sprintf("customer %d", i%1000))
		c.PushWeight(1)
	}
	return c
}

// fsyncP50 is the median time of appending 4 KiB to a file and syncing it.
func fsyncP50(b *testing.B) time.Duration {
	f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	var times []time.Duration
	for range 100 {
		start := time.Now()
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	return times[50]
}

// BenchmarkAppend appends transactions of some rows from some writers: rows a
// second, the median time of an Append, and that of a bare fsync beside it.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ writers, rows int }{{1, 1}, {4, 1}, {64, 1}, {1, 1000}, {4, 1000}, {64, 1000}} {
		b.Run(fmt.Sprintf("writers=%d/rows=%d", c.writers, c.rows), func(b *testing.B) {
			raw := fsyncP50(b)
			l := openLog(b, openServer(b, b.TempDir()))
			chunk := rowsOf(c.rows)
			times := make([][]time.Duration, c.writers)
			b.ResetTimer()
			var wg sync.WaitGroup
			for w := range c.writers {
				wg.Go(func() {
					for i := w; i < b.N; i += c.writers {
						start := time.Now()
						if _, err := l.Append(context.Background(), []*Block{NewBlock(Header{Table: 1}, chunk)}); err != nil {
							b.Error(err)
							return
						}
						times[w] = append(times[w], time.Since(start))
					}
				})
			}
			wg.Wait()
			b.StopTimer()
			all := slices.Concat(times...)
			slices.Sort(all)
			b.ReportMetric(float64(b.N*c.rows)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(raw.Microseconds()), "fsync-p50-µs")
			b.ReportMetric(float64(l.LastSeq()), "groups")
		})
	}
}

// BenchmarkBlock encodes and decodes blocks of 1000 rows.
func BenchmarkBlock(b *testing.B) {
	chunk := rowsOf(1000)
	data := EncodeBlock(nil, 1, 0, 1, chunk)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			data = EncodeBlock(data[:0], 1, 0, 1, chunk)
		}
		b.ReportMetric(float64(len(data))/1000, "bytes/row")
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			blk, _, err := DecodeBlock(data)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := blk.Chunk(nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
