package builtin

import (
	"math/bits"

	"streamsql/sql/expr"
	"streamsql/sql/types"
)

func init() {
	for _, op := range []string{"&", "|", "^", "<<", ">>"} {
		register(function{min: 2, max: 2, flags: total, resolve: resolveBits, kernel: bitsKernel}, op)
	}
	register(function{min: 1, max: 1, flags: total, resolve: resolveBits, kernel: func(*expr.Expr) Kernel {
		return strict(func(f *Frame, i int) { f.Out.AppendInt(^f.Args[0].Int(i)) })
	}}, "~")
	register(function{min: 1, max: 1, flags: total, resolve: resolveBits, kernel: func(*expr.Expr) Kernel {
		return strict(func(f *Frame, i int) { f.Out.AppendInt(int64(bits.OnesCount64(uint64(f.Args[0].Int(i))))) })
	}}, "bit_count")
}

// resolveBits works on 64 bits: everything becomes an integer, the result is
// BIGINT UNSIGNED.
func resolveBits(c *call) (*expr.Expr, error) {
	args := make([]*expr.Expr, len(c.args))
	for i, a := range c.args {
		args[i] = c.env.fit(toNumber(a), 'i')
	}
	c.args = args
	if c.fn == "bit_count" {
		return c.result(types.MakeBigInt()), nil
	}
	return c.result(types.Type{Kind: types.BigInt, Unsigned: true}), nil
}

func bitsKernel(e *expr.Expr) Kernel {
	op := map[string]func(a, b uint64) uint64{
		"&": func(a, b uint64) uint64 { return a & b }, "|": func(a, b uint64) uint64 { return a | b },
		"^": func(a, b uint64) uint64 { return a ^ b }, "<<": func(a, b uint64) uint64 { return a << b },
		">>": func(a, b uint64) uint64 { return a >> b },
	}[e.Fn]
	return func(f *Frame) {
		if !f.MergeValid() {
			return
		}
		out := f.Ints()
		for i := range out {
			out[i] = int64(op(uint64(f.Args[0].Int(i)), uint64(f.Args[1].Int(i))))
		}
	}
}
