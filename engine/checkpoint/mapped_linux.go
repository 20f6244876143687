package checkpoint

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// mappedFiles are the files below a directory that the process has mapped.
type mappedFiles struct {
	root string // the directory as the system spells it
}

func newMappedFiles(dir string) (*mappedFiles, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	return &mappedFiles{dir + string(filepath.Separator)}, err
}

// resident is how many bytes of files, of these and others, are in the process's
// memory; 0 if that cannot be told.
func (m *mappedFiles) resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	if f := bytes.Fields(text); len(f) > 2 {
		pages, _ := strconv.ParseInt(string(f[2]), 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}

// letGo takes the value log's files out of the process's memory, but for the one that
// is written. Nothing is lost: what is used again comes from the system's cache or
// from the disk.
//
// What is let go of must still be mapped: an address that has been given to something
// else since it was read would lose what it holds. A file of the value log is unmapped
// when it is sealed, which comes before the next one is there, and when it is
// collected. So letGo and collections must not run at the same time.
func (m *mappedFiles) letGo() error {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return err
	}
	newest := ""
	var sealed []mapping
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		p, ok := m.mapping(lines.Text())
		switch {
		case !ok:
		case p.file > newest: // names are numbers of one length
			newest = p.file
			fallthrough
		default:
			sealed = append(sealed, p)
		}
	}
	for _, p := range sealed {
		if p.file == newest {
			continue
		}
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, p.from, p.to-p.from, unix.MADV_DONTNEED); errno != 0 {
			return errno
		}
	}
	return nil
}

// mapping is where a file of the value log is mapped.
type mapping struct {
	from, to uintptr
	file     string
}

// mapping reads a line of /proc/self/maps, such as
//
//	7f01c8000000-7f01cc000000 rw-s 00000000 fd:00 1234  /data/checkpoint/000001.vlog
//
// ok: it is a file of the value log, and shared, so that what is written to the
// mapping is the file's at once.
func (m *mappedFiles) mapping(line string) (p mapping, ok bool) {
	at := strings.IndexByte(line, '/')
	if at < 0 {
		return p, false
	}
	file, below := strings.CutPrefix(line[at:], m.root)
	f := strings.Fields(line[:at])
	if !below || !strings.HasSuffix(file, ".vlog") || len(f) < 2 || len(f[1]) != 4 || f[1][3] != 's' {
		return p, false
	}
	low, high, _ := strings.Cut(f[0], "-")
	from, err := strconv.ParseUint(low, 16, 64)
	if err != nil {
		return p, false
	}
	to, err := strconv.ParseUint(high, 16, 64)
	return mapping{uintptr(from), uintptr(to), file}, err == nil && from < to
}
