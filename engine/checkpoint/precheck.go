package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// precheck verifies the tables that Badger will open. Badger does so too, but in
// goroutines of its own, where a size that points outside of a file or of a block
// ends the process. Tables that a crash left unfinished are not in
// Badger's manifest, and it removes them itself.
func precheck(o badger.Options) error {
	f, err := os.Open(filepath.Join(o.Dir, badger.ManifestFilename))
	if errors.Is(err, os.ErrNotExist) {
		return nil // a new store
	}
	if err != nil {
		return err
	}
	defer f.Close()
	m, whole, err := badger.ReplayManifestFile(f, o.ExternalMagicVersion, o)
	if err != nil {
		return err
	}
	// Badger takes a record whose length goes beyond the file for a torn end, and
	// leaves out all that follows: one flipped bit there would hide every table. A
	// killed process does not tear its one write of a record.
	if info, err := f.Stat(); err != nil || info.Size() != whole {
		return errors.Join(err, fmt.Errorf("%s: what follows byte %d cannot be read", badger.ManifestFilename, whole))
	}
	for id := range m.Tables {
		name := fmt.Sprintf("%06d.sst", id)
		data, err := os.ReadFile(filepath.Join(o.Dir, name)) // keys only: small
		if err != nil {
			return err
		}
		if err := checkTable(data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// checkTable verifies a table: blocks, index and the index's checksum. The index,
// which says where the blocks are, and each block end in their checksum.
func checkTable(data []byte) error {
	sum, rest, err := cutSized(data)
	if err != nil {
		return err
	}
	index, _, err := cutSized(rest)
	if err != nil {
		return err
	}
	if len(index) == 0 {
		return errors.New("table without an index")
	}
	if err := verify(index, sum); err != nil {
		return err
	}
	var at fb.BlockOffset
	blocks := fb.GetRootAsTableIndex(index, 0)
	for i := range blocks.OffsetsLength() {
		blocks.Offsets(&at, i)
		from, to := uint64(at.Offset()), uint64(at.Offset())+uint64(at.Len())
		if to > uint64(len(data)) {
			return errCutShort
		}
		sum, block, err := cutSized(data[from:to])
		if err != nil {
			return err
		}
		if err := verify(block, sum); err != nil {
			return fmt.Errorf("block %d: %w", i, err)
		}
	}
	return nil
}

var errCutShort = errors.New("table is cut short")

// cutSized cuts from the end of data what is followed by its size, u32 big-endian.
func cutSized(data []byte) (tail, rest []byte, err error) {
	at := len(data) - 4
	if at < 0 {
		return nil, nil, errCutShort
	}
	n := binary.BigEndian.Uint32(data[at:])
	if uint64(n) > uint64(at) {
		return nil, nil, errCutShort
	}
	at -= int(n)
	return data[at : at+int(n)], data[:at], nil
}

// verify compares data with its checksum, as Badger encodes it.
func verify(data, sum []byte) error {
	var want pb.Checksum
	if err := proto.Unmarshal(sum, &want); err != nil {
		return err
	}
	return y.VerifyChecksum(data, &want)
}
