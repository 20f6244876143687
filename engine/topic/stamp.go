package topic

import (
	"encoding/binary"
	"hash/crc32"
)

// OnStamp sets what is called for each block in the order in which blocks go
// into the log, just before: it may change the block's Header, and returns
// whether it did. It is called by one goroutine, must be quick and must not call
// Append. To be set before the first Append.
func (l *Log) OnStamp(fn func(b *Block) bool) { l.stamp = fn }

// stampAll lets the writer stamp the blocks of a request, once.
func (c *committer) stampAll(r *request) {
	if c.log.stamp == nil || r.stamped {
		return
	}
	r.stamped = true
	at := 0
	for _, b := range r.tx.Blocks {
		size := int(binary.LittleEndian.Uint32(r.data[at+sizeAt:]))
		if c.log.stamp(b) {
			b.Stamped = true
			b.Header.put(r.data[at : at+size])
		}
		at += (size + 7) &^ 7
	}
}

// sizeAt is where in a block its size stands.
const sizeAt = 56

// put writes the header into an encoded block, and its checksum anew.
func (h *Header) put(data []byte) {
	le := binary.LittleEndian
	le.PutUint16(data[6:], h.Flags)
	le.PutUint64(data[16:], h.Seq)
	le.PutUint64(data[24:], uint64(h.Watermark))
	le.PutUint64(data[32:], uint64(h.IdleMark))
	le.PutUint16(data[48:], h.Partition)
	end := len(data) - crcSize
	le.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
}
