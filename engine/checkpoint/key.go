package checkpoint

import (
	"encoding/binary"
	"fmt"
)

// Keys, all numbers big-endian so that they sort:
//
//	'm' round u64                                              manifest
//	'p' job u64, op u64, part u32, store u8, page u64, round u64   page
//	'b' job u64, length of name u16, name, round u64, chunk u32    blob
//
// The user meta byte metaGone says that the page or blob is no more.
const (
	manifestPrefix = 'm'
	pagePrefix     = 'p'
	blobPrefix     = 'b'

	pageKeySize = 38

	metaGone = 1
)

// storeID names a state store.
type storeID struct {
	job, op uint64
	part    uint32
	index   uint8
}

// blobID names a blob.
type blobID struct {
	job  uint64
	name string
}

func manifestKey(round uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{manifestPrefix}, round)
}

func pageKey(s storeID, page, round uint64) []byte {
	be := binary.BigEndian
	k := append(make([]byte, 0, pageKeySize), pagePrefix)
	k = be.AppendUint64(k, s.job)
	k = be.AppendUint64(k, s.op)
	k = be.AppendUint32(k, s.part)
	k = append(k, s.index)
	k = be.AppendUint64(k, page)
	return be.AppendUint64(k, round)
}

func blobKey(b blobID, round uint64, chunk uint32) []byte {
	be := binary.BigEndian
	k := append(make([]byte, 0, 23+len(b.name)), blobPrefix)
	k = be.AppendUint64(k, b.job)
	k = be.AppendUint16(k, uint16(len(b.name)))
	k = append(k, b.name...)
	k = be.AppendUint64(k, round)
	return be.AppendUint32(k, chunk)
}

func parsePageKey(k []byte) (s storeID, page, round uint64, err error) {
	be := binary.BigEndian
	if len(k) != pageKeySize {
		return s, 0, 0, fmt.Errorf("%w: a key of %d bytes", ErrCorrupt, len(k))
	}
	s = storeID{be.Uint64(k[1:]), be.Uint64(k[9:]), be.Uint32(k[17:]), k[21]}
	return s, be.Uint64(k[22:]), be.Uint64(k[30:]), nil
}

func parseBlobKey(k []byte) (b blobID, round uint64, chunk uint32, err error) {
	be := binary.BigEndian
	if len(k) < 23 || len(k) != 23+int(be.Uint16(k[9:])) {
		return b, 0, 0, fmt.Errorf("%w: a key of %d bytes", ErrCorrupt, len(k))
	}
	n := len(k)
	b = blobID{be.Uint64(k[1:]), string(k[11 : n-12])}
	return b, be.Uint64(k[n-12:]), be.Uint32(k[n-4:]), nil
}
