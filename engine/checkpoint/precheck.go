package checkpoint

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/pb"
	"github.com/dgraph-io/badger/v4/y"
	"google.golang.org/protobuf/proto"
)

// precheck verifies the footers of the tables that Badger will open. Badger does
// so too, but in goroutines of its own, where a footer that points outside the
// file ends the process. Tables that a crash left unfinished are not in
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

// checkTable verifies a table's end: index, size of index u32, checksum of index,
// size of checksum u32, both sizes big-endian.
func checkTable(data []byte) error {
	cut := func(n uint32) ([]byte, error) {
		if uint64(n) > uint64(len(data)) {
			return nil, errors.New("table is cut short")
		}
		at := len(data) - int(n)
		tail := data[at:]
		data = data[:at]
		return tail, nil
	}
	sized := func() ([]byte, error) {
		n, err := cut(4)
		if err != nil {
			return nil, err
		}
		return cut(binary.BigEndian.Uint32(n))
	}
	sum, err := sized()
	if err != nil {
		return err
	}
	var want pb.Checksum
	if err := proto.Unmarshal(sum, &want); err != nil {
		return err
	}
	index, err := sized()
	if err != nil {
		return err
	}
	if len(index) == 0 {
		return errors.New("table without an index")
	}
	return y.VerifyChecksum(index, &want)
}
