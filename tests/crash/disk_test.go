package crash

import (
	"io/fs"
	"syscall"
)

// allocated is the space that a file takes: Badger's files are sparse.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
