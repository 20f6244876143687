package state

import "encoding/binary"

// Pack appends an encoded row to dst in fewer bytes: integers, narrow decimals and the
// lengths of texts as varints, in which a small one takes little. Where a row lies for
// long and is seldom read that is worth the time. The form:
//
//	the null bits
//	each column's slot, in order: a zigzag varint of an int or a narrow decimal, a
//	  varint of a text's length, others as they are
//	the texts
//
// c is not Grown.
func (c *Codec) Pack(dst, row []byte) []byte {
	nulls := (len(c.slots) + 7) / 8
	dst = append(dst, row[:nulls]...)
	for _, s := range c.slots {
		switch slot := row[s.at:]; s.form {
		case formInt, formNarrow:
			x := getInt(slot)
			dst = binary.AppendUvarint(dst, uint64(x)<<1^uint64(x>>63))
		case formBytes:
			dst = binary.AppendUvarint(dst, uint64(binary.LittleEndian.Uint32(slot)))
		case formWide:
			dst = append(dst, slot[:32]...)
		default:
			dst = append(dst, slot[:8]...)
		}
	}
	return append(dst, row[c.fixed:]...)
}

// Unpack appends to dst the encoded row that Pack made packed of.
func (c *Codec) Unpack(dst, packed []byte) []byte {
	nulls := (len(c.slots) + 7) / 8
	dst = append(dst, packed[:nulls]...)
	p := packed[nulls:]
	for _, s := range c.slots {
		switch s.form {
		case formInt, formNarrow:
			u, n := binary.Uvarint(p)
			dst = binary.LittleEndian.AppendUint64(dst, u>>1^-(u&1))
			p = p[n:]
		case formBytes:
			u, n := binary.Uvarint(p)
			dst = binary.LittleEndian.AppendUint32(dst, uint32(u))
			p = p[n:]
		case formWide:
			dst, p = append(dst, p[:32]...), p[32:]
		default:
			dst, p = append(dst, p[:8]...), p[8:]
		}
	}
	return append(dst, p...)
}
