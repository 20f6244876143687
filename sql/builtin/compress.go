package builtin

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"streamsql/sql/expr"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// Compressed bytes are MySQL's: the length of the plain text in four bytes, the least
// first, then zlib's form. What would end with a space gets a point behind it, which
// a CHAR column does not cut off. Nothing stays nothing.

func init() {
	define("compress", "s", 0, binaryResult(func(c *call) int { return 4*firstLen(c) + 64 }), compressRows)
	defineBy("uncompress", "s", 0, returns(types.Type{Kind: types.Blob, Len: types.LongTextLen, Collation: types.BinaryCollation}),
		func(*expr.Expr) Kernel { return uncompressRows })
	define("uncompressed_length", "s", 0, returns(types.Type{Kind: types.Int, Unsigned: true}), strict(func(f *Frame, i int) {
		n, _ := f.plainLength(i)
		f.Out.AppendInt(n)
	}))
}

// compressRows uses one compressor for all rows.
func compressRows(f *Frame) {
	var to bytes.Buffer
	w := zlib.NewWriter(&to)
	strict(func(f *Frame, i int) {
		s := f.Args[0].Str(i)
		if len(s) == 0 {
			f.endText()
			return
		}
		to.Reset()
		w.Reset(&to)
		_, _ = w.Write(s) // into memory
		_ = w.Close()
		start := len(f.Out.Buf)
		f.Out.Buf = binary.LittleEndian.AppendUint32(f.Out.Buf, uint32(len(s)))
		f.Out.Buf = append(f.Out.Buf, to.Bytes()...)
		if n := len(f.Out.Buf); n > start && f.Out.Buf[n-1] == ' ' {
			f.Out.Buf = append(f.Out.Buf, '.')
		}
		f.endText()
	})(f)
}

// plainLength is the length that stands before compressed bytes; not ok: there is
// none, and row i has been warned of.
func (f *Frame) plainLength(i int) (int64, bool) {
	s := f.Args[0].Str(i)
	if len(s) == 0 {
		return 0, true
	}
	if len(s) <= 4 {
		f.Problem(i, sqlerr.ZlibData, "ZLIB: Input data corrupted")
		return 0, false
	}
	return int64(binary.LittleEndian.Uint32(s) & 0x3FFFFFFF), true
}

func uncompressRows(f *Frame) {
	var from bytes.Reader
	var r io.ReadCloser
	strict(func(f *Frame, i int) {
		s := f.Args[0].Str(i)
		n, ok := f.plainLength(i)
		switch {
		case !ok:
			f.NullOut(i)
			return
		case n > maxText:
			f.NullOut(i)
			f.Problem(i, sqlerr.ZlibTooBig, "Uncompressed data size too large; the maximum size is %d (probably, length of uncompressed data was corrupted)", maxText)
			return
		case len(s) == 0:
			f.endText()
			return
		}
		from.Reset(s[4:])
		var err error
		if r == nil {
			r, err = zlib.NewReader(&from)
		} else {
			err = r.(zlib.Resetter).Reset(&from, nil)
		}
		start := len(f.Out.Buf)
		if err == nil {
			f.Out.Buf, err = appendAll(f.Out.Buf, r, int(n))
		}
		if err != nil {
			f.Out.Buf = f.Out.Buf[:start]
			f.NullOut(i)
			f.Problem(i, sqlerr.ZlibData, "ZLIB: Input data corrupted")
			return
		}
		f.endText()
	})(f)
}

// appendAll appends what r gives, which is to be no more than n bytes.
func appendAll(dst []byte, r io.Reader, n int) ([]byte, error) {
	w := bytes.NewBuffer(dst)
	got, err := io.Copy(w, io.LimitReader(r, int64(n)+1))
	if err == nil && got > int64(n) {
		err = io.ErrShortBuffer
	}
	return w.Bytes(), err
}
