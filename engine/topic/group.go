package topic

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The format of a message of a commit log, all numbers little-endian:
//
//	magic u32, version u16, flags u16
//	sequence u64    the message's own, as the writer expected it
//	run u64         names the writer's run of this log
//	nonce u64       numbers the messages of a run
//	whole:  count u32, zero u32, then per transaction
//	        id u64, blocks u32, bytes u32, and the blocks, padded to 8
//	split:  id u64, part u32, parts u32, blocks u32, zero u32, and a piece
//	        of the transaction's bytes
//	CRC32C of everything before
const (
	groupMagic   = 0x50524753 // "SGRP"
	groupVersion = 1
	groupHeader  = 32
	txHeader     = 16
	partHeader   = 24

	flagSplit = 1
)

// maxGroup is the room for transactions in one message, with the protocol's
// own headers left out.
const maxGroup = MaxPayload - 4096

// maxTransaction bounds the encoded size of one transaction, in bytes.
const maxTransaction = 1 << 30

// Tx is the blocks of one transaction.
type Tx struct {
	ID     uint64 // unique in its log
	Blocks []*Block
}

// Group is the transactions that became durable together.
type Group struct {
	Seq uint64 // in the log
	Txs []Tx
}

// place sets Place of all blocks of a group.
func place(txs []Tx) {
	var rows map[uint64]uint64
	var only *Block // while there is one block
	for _, tx := range txs {
		for _, b := range tx.Blocks {
			if only == nil {
				only, b.Place = b, 0
				continue
			}
			if rows == nil {
				rows = map[uint64]uint64{only.Table: uint64(only.rows)}
			}
			b.Place = rows[b.Table]
			rows[b.Table] += uint64(b.rows)
		}
	}
}

// message is one decoded message of a log.
type message struct {
	seq, run, nonce uint64
	txs             []Tx // whole transactions
	split           bool
	tx              uint64
	part, parts     uint32
	blocks          int
	piece           []byte
	size            int // bytes
}

func appendGroupHeader(dst []byte, flags uint16, seq, run, nonce uint64) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, groupMagic)
	dst = le.AppendUint16(dst, groupVersion)
	dst = le.AppendUint16(dst, flags)
	dst = le.AppendUint64(dst, seq)
	dst = le.AppendUint64(dst, run)
	return le.AppendUint64(dst, nonce)
}

func seal(msg []byte) []byte {
	return binary.LittleEndian.AppendUint32(msg, crc32.Checksum(msg, castagnoli))
}

// appendWhole appends the message that holds the transactions of reqs.
func appendWhole(dst []byte, seq, run, nonce uint64, reqs []*request) []byte {
	le := binary.LittleEndian
	dst = appendGroupHeader(dst, 0, seq, run, nonce)
	dst = le.AppendUint32(dst, uint32(len(reqs)))
	dst = le.AppendUint32(dst, 0)
	for _, r := range reqs {
		dst = le.AppendUint64(dst, r.tx.ID)
		dst = le.AppendUint32(dst, uint32(len(r.tx.Blocks)))
		dst = le.AppendUint32(dst, uint32(len(r.data)))
		dst = append(dst, r.data...)
		dst = pad8(dst, 0)
	}
	return seal(dst)
}

// appendPart appends the message that holds part k of n of a large transaction.
func appendPart(dst []byte, seq, run, nonce uint64, r *request, k, n int) []byte {
	le := binary.LittleEndian
	dst = appendGroupHeader(dst, flagSplit, seq, run, nonce)
	dst = le.AppendUint64(dst, r.tx.ID)
	dst = le.AppendUint32(dst, uint32(k))
	dst = le.AppendUint32(dst, uint32(n))
	dst = le.AppendUint32(dst, uint32(len(r.tx.Blocks)))
	dst = le.AppendUint32(dst, 0)
	lo := k * partSize
	dst = append(dst, r.data[lo:min(lo+partSize, len(r.data))]...)
	return seal(dst)
}

// partSize is how much of a split transaction goes into one message.
const partSize = maxGroup - groupHeader - partHeader - crcSize

// decodeMessage verifies a message that lies at seq. Blocks of whole
// transactions keep data.
func decodeMessage(seq uint64, data []byte) (*message, error) {
	le := binary.LittleEndian
	if len(data) < groupHeader+8+crcSize || le.Uint32(data) != groupMagic {
		return nil, corruptMessage("no commit group")
	}
	if v := le.Uint16(data[4:]); v != groupVersion {
		return nil, corruptMessage("format version %d is not known, only %d", v, groupVersion)
	}
	end := len(data) - crcSize
	if got, want := crc32.Checksum(data[:end], castagnoli), le.Uint32(data[end:]); got != want {
		return nil, corruptMessage("CRC %08x, expected %08x", got, want)
	}
	m := &message{seq: le.Uint64(data[8:]), run: le.Uint64(data[16:]), nonce: le.Uint64(data[24:])}
	if m.seq != seq {
		return nil, corruptMessage("was written as %d", m.seq)
	}
	body := data[groupHeader:end:end]
	if le.Uint16(data[6:])&flagSplit != 0 {
		if len(body) < partHeader {
			return nil, corruptMessage("a part without its header")
		}
		m.split, m.tx = true, le.Uint64(body)
		m.part, m.parts, m.blocks = le.Uint32(body[8:]), le.Uint32(body[12:]), int(le.Uint32(body[16:]))
		m.piece = body[partHeader:]
		if m.part >= m.parts || m.parts > maxTransaction/partSize+1 {
			return nil, corruptMessage("part %d of %d", m.part, m.parts)
		}
		return m, nil
	}
	count := int(le.Uint32(body))
	rest := body[8:]
	for range count {
		if len(rest) < txHeader {
			return nil, corruptMessage("%d transactions do not fit", count)
		}
		id, blocks, size := le.Uint64(rest), int(le.Uint32(rest[8:])), int(le.Uint32(rest[12:]))
		rest = rest[txHeader:]
		if size > len(rest) {
			return nil, corruptMessage("a transaction of %d bytes", size)
		}
		tx, err := decodeTx(id, blocks, rest[:size])
		if err != nil {
			return nil, err
		}
		m.txs = append(m.txs, tx)
		rest = rest[min((size+7)&^7, len(rest)):]
	}
	return m, nil
}

func decodeTx(id uint64, blocks int, data []byte) (Tx, error) {
	tx := Tx{ID: id}
	if blocks > len(data)/headerSize {
		return tx, corruptMessage("%d blocks in %d bytes", blocks, len(data))
	}
	tx.Blocks = make([]*Block, 0, blocks)
	for range blocks {
		b, n, err := DecodeBlock(data)
		if err != nil {
			return tx, err
		}
		tx.Blocks = append(tx.Blocks, b)
		data = data[min((n+7)&^7, len(data)):]
	}
	return tx, nil
}

func corruptMessage(format string, args ...any) error {
	return fmt.Errorf("message %w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// assembler puts split transactions together again. Their parts lie side by
// side; a transaction without all its parts is void.
type assembler struct {
	tx   uint64
	next uint32
	data []byte
}

// add takes in the messages of a log in order and returns the transactions that
// became whole with m.
func (a *assembler) add(m *message) ([]Tx, error) {
	if !m.split {
		*a = assembler{}
		return m.txs, nil
	}
	if m.part == 0 {
		*a = assembler{tx: m.tx, data: make([]byte, 0, int(m.parts)*len(m.piece))} // all but the last are as large
	}
	if m.tx != a.tx || m.part != a.next {
		*a = assembler{} // the rest of a transaction whose beginning is not there
		return nil, nil
	}
	a.data = append(a.data, m.piece...)
	a.next++
	if a.next < m.parts {
		return nil, nil
	}
	tx, err := decodeTx(m.tx, m.blocks, a.data)
	*a = assembler{}
	if err != nil {
		return nil, err
	}
	return []Tx{tx}, nil
}
