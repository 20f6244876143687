package checkpoint

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// removeEmpty removes value logs and memtables without a byte: a process killed
// between making such a file and giving it its size leaves one, nothing was written to
// it, and Badger would refuse to open the others because of it.
func removeEmpty(dir string) error {
	for _, pattern := range []string{"*.vlog", "*.mem"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err == nil && info.Size() == 0 {
				err = os.Remove(name)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
