package topic

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"streamsql/operators/batch"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// The format of a block, all numbers little-endian:
//
//	header     headerSize bytes, see EncodeBlock
//	directory  an entry of dirSize bytes per column, then one for the weights
//	           (of size 0 when all are +1)
//	names      the ENUM elements of the columns that have some
//	segments   one per directory entry, each padded to 8 bytes
//	CRC32C     of everything before
//
// A segment is validity bitmap (if there is one), then the values in Arrow's
// layout: 8-byte integers or floats, 32-byte wide decimals, or 4-byte offsets
// (N+1, from 0) and bytes. It is compressed with S2 if that pays.
const (
	blockMagic   = 0x4b4c4253 // "SBLK"
	blockVersion = 1
	headerSize   = 72
	dirSize      = 32
	crcSize      = 4
)

// Limits of what a block may claim, checked before anything is allocated.
const (
	maxBlockRows    = 1 << 24
	maxBlockColumns = 4096
	maxSegment      = 1 << 30
)

// Flags of a block.
const (
	// FlagWatermark says that Watermark is set.
	FlagWatermark uint16 = 1 << iota
	// FlagIdle says that IdleMark is set.
	FlagIdle
	// FlagQuery says that Query is set, and that Seq is the batch the rows came from.
	FlagQuery
	// FlagRenumber says that the table's AUTO_INCREMENT begins anew with this block.
	FlagRenumber
)

// ErrCorrupt is in the chain of every error about bytes that do not verify.
var ErrCorrupt = errors.New("corrupt")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header is what a block says besides its rows.
type Header struct {
	Table     uint64
	Partition uint16
	Flags     uint16
	// Seq numbers the blocks of one partition of a table, as its writer does; 0: not
	// numbered.
	Seq       uint64
	Watermark int64  // microseconds; before the first row
	IdleMark  int64  // microseconds: the partition was idle until then
	Epoch     uint64 // of the owner that wrote the block
	Query     uint64 // the continuous query whose rows these are
}

// column is a directory entry.
type column struct {
	typ      types.Type
	form     form
	validity bool
	off      int // of the segment, from the start of the block
	stored   int // bytes as they lie there
	size     int // bytes decoded
}

// form is how the values of a segment lie in it.
type form uint8

const (
	formNone  form = iota // the weights of a block whose rows all weigh +1
	formInt               // 8 bytes each
	formFloat             // 8 bytes each
	formWide              // 32 bytes each
	formBytes             // offsets, then bytes
)

// Block is a piece of a table's changelog. One that was read decodes a column
// when asked for it; one that was written holds the chunk itself. A block is
// immutable; its methods may be called by several goroutines at once.
type Block struct {
	Header
	// Place is how many rows of the same table stand before the block in its group.
	// The log sets it when it gives the block out; it is not stored.
	Place uint64
	// High is for the writer, whose stamp may ask for it: the largest time of the
	// rows. It is not stored.
	High int64
	// Stamped: the writer's stamp has changed the header.
	Stamped bool

	rows int

	chunk *batch.Chunk // live: the rows as they were handed in
	data  []byte       // read: the encoded form, verified
	cols  []column     // read: columns, then weights
}

// NewBlock makes a block of rows to append. The chunk must not change any more.
func NewBlock(h Header, c *batch.Chunk) *Block {
	return &Block{Header: h, rows: c.N, chunk: c}
}

// Rows returns the number of rows.
func (b *Block) Rows() int { return b.rows }

// Columns returns the number of columns.
func (b *Block) Columns() int {
	if b.chunk != nil {
		return len(b.chunk.Cols)
	}
	return len(b.cols) - 1
}

// ColumnType returns the type that column i had when it was written.
func (b *Block) ColumnType(i int) types.Type {
	if b.chunk != nil {
		return b.chunk.Cols[i].Type
	}
	return b.cols[i].typ
}

// Column returns column i. A block that was read decodes it anew on each call:
// who shares a block between readers keeps the result. The error has ErrCorrupt
// in its chain.
func (b *Block) Column(i int) (*vector.Vector, error) {
	if b.chunk != nil {
		return b.chunk.Cols[i], nil
	}
	return b.decodeColumn(i)
}

// Weights returns the weights of the rows; nil: all +1.
func (b *Block) Weights() ([]int64, error) {
	if b.chunk != nil {
		return b.chunk.Weights, nil
	}
	return b.decodeWeights()
}

// Chunk returns the columns at the positions cols, in that order, with the
// weights. nil means all columns.
func (b *Block) Chunk(cols []int) (*batch.Chunk, error) {
	if b.chunk != nil && cols == nil {
		return b.chunk, nil
	}
	if cols == nil {
		cols = make([]int, b.Columns())
		for i := range cols {
			cols[i] = i
		}
	}
	c := &batch.Chunk{N: b.rows, Cols: make([]*vector.Vector, len(cols))}
	for k, i := range cols {
		v, err := b.Column(i)
		if err != nil {
			return nil, err
		}
		c.Cols[k] = v
	}
	w, err := b.Weights()
	c.Weights = w
	return c, err
}

// EncodeBlock appends the encoded form of a block to dst.
func EncodeBlock(dst []byte, table uint64, partition uint16, seq uint64, c *batch.Chunk) []byte {
	return AppendBlock(dst, NewBlock(Header{Table: table, Partition: partition, Seq: seq}, c))
}

// AppendBlock appends the encoded form of b to dst. The chunk must keep to the
// limits of a block (2^24 rows, 4096 columns).
func AppendBlock(dst []byte, b *Block) []byte {
	if b.chunk == nil {
		return append(dst, b.data...)
	}
	le := binary.LittleEndian
	c := b.chunk
	start := len(dst)
	dst = le.AppendUint32(dst, blockMagic)
	dst = le.AppendUint16(dst, blockVersion)
	dst = le.AppendUint16(dst, b.Flags)
	dst = le.AppendUint64(dst, b.Table)
	dst = le.AppendUint64(dst, b.Seq)
	dst = le.AppendUint64(dst, uint64(b.Watermark))
	dst = le.AppendUint64(dst, uint64(b.IdleMark))
	dst = le.AppendUint64(dst, b.Epoch)
	dst = le.AppendUint16(dst, b.Partition)
	dst = le.AppendUint16(dst, uint16(len(c.Cols)))
	dst = le.AppendUint32(dst, uint32(c.N))
	sizes := len(dst) // block size, bytes of names: set below; then the query
	dst = append(dst, make([]byte, headerSize-(sizes-start))...)
	dir := len(dst)
	dst = append(dst, make([]byte, dirSize*(len(c.Cols)+1))...)
	names := len(dst)
	for _, v := range c.Cols {
		dst = append(dst, v.Type.Enum...)
	}
	le.PutUint32(dst[sizes+4:], uint32(len(dst)-names))
	le.PutUint64(dst[sizes+8:], b.Query)
	dst = pad8(dst, start)
	for i, v := range c.Cols {
		dst = appendColumn(dst, start, dir+i*dirSize, v)
		dst = pad8(dst, start)
	}
	if c.Weights != nil {
		dst = appendWeights(dst, start, dir+len(c.Cols)*dirSize, c.Weights[:c.N])
		dst = pad8(dst, start)
	}
	le.PutUint32(dst[sizes:], uint32(len(dst)+crcSize-start))
	return le.AppendUint32(dst, crc32.Checksum(dst[start:], castagnoli))
}

// pad8 fills dst with zeros to a multiple of 8 bytes from start.
func pad8(dst []byte, start int) []byte {
	for (len(dst)-start)&7 != 0 {
		dst = append(dst, 0)
	}
	return dst
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("block %w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
