package file

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/connector/jsonl"
	"streamsql/sql/sqlerr"
)

// Sink appends lines of JSON to a file. Beside it, in a file of the same name with
// ".position" behind it, stands up to which batch, and to which length, the file is
// safe: whatever is behind that is of a batch that comes again, and is cut off first.
type Sink struct {
	root  *os.Root
	path  string
	file  *os.File
	lines *jsonl.Writer
	at    place
	torn  bool // bytes behind the place may be in the file
	buf   []byte
}

// place is how far a file is safe.
type place struct {
	Batch uint64 `json:"batch"`
	Bytes int64  `json:"bytes"`
}

// opColumn is the name under which a line says what became of the row.
const opColumn = "op"

// flushBytes is how much is gathered before it is written.
const flushBytes = 1 << 20

// NewSink opens a sink's file below dir. A new sink begins a file that is not there yet
// or is empty.
func NewSink(dir string, s connector.SinkSpec) (*Sink, error) {
	if f := s.Options.Text("format"); f != "json" && f != "" {
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option 'format' of a sink of connector 'file' is 'json', not '%s'", f)
	}
	path, err := below(dir, s.Options.Text("path"))
	if err != nil {
		return nil, err
	}
	k := &Sink{path: path}
	var names []string
	if s.Changelog != connector.Append {
		names = append(names, opColumn)
	}
	for _, c := range s.Columns {
		names = append(names, c.Name)
	}
	k.lines = jsonl.New(names)
	if k.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if err := k.open(s.New); err != nil {
		return nil, errors.Join(err, k.Close())
	}
	return k, nil
}

func (k *Sink) open(isNew bool) (err error) {
	flags := os.O_CREATE | os.O_WRONLY
	if k.file, err = k.root.OpenFile(k.path, flags, 0o644); err != nil {
		return k.failed(err)
	}
	info, err := k.file.Stat()
	if err != nil {
		return k.failed(err)
	}
	if !info.Mode().IsRegular() {
		return k.failed(fmt.Errorf("not a regular file"))
	}
	if isNew {
		if info.Size() > 0 {
			return sqlerr.New(sqlerr.FileExists, "The file '%s' is there already, and not empty", k.path)
		}
		return k.save(place{}) // what an earlier sink of that name left counts no more
	}
	text, err := fs.ReadFile(k.root.FS(), filepath.ToSlash(k.path+positionSuffix))
	if err != nil {
		return k.failed(err)
	}
	if err := json.Unmarshal(text, &k.at); err != nil {
		return k.failed(err)
	}
	if info.Size() < k.at.Bytes {
		return k.failed(fmt.Errorf("it has %d bytes, and had %d after batch %d", info.Size(), k.at.Bytes, k.at.Batch))
	}
	k.torn = true
	return nil
}

const positionSuffix = ".position"

// Write appends the rows of a batch, each as often as it counts.
func (k *Sink) Write(_ context.Context, id uint64, changes []*batch.Chunk) error {
	if id <= k.at.Batch {
		return nil
	}
	if k.torn {
		if err := k.file.Truncate(k.at.Bytes); err != nil {
			return k.failed(err)
		}
		k.torn = false
	}
	k.torn, k.buf = true, k.buf[:0]
	end := k.at.Bytes
	flush := func() error {
		n, err := k.file.WriteAt(k.buf, end)
		end, k.buf = end+int64(n), k.buf[:0]
		return err
	}
	for _, c := range changes {
		for i := range c.N {
			for range c.Weight(i) {
				k.buf = k.lines.Append(k.buf, c.Cols, i)
			}
			if len(k.buf) >= flushBytes {
				if err := flush(); err != nil {
					return k.failed(err)
				}
			}
		}
	}
	if err := errors.Join(flush(), k.file.Sync()); err != nil {
		return k.failed(err)
	}
	if err := k.save(place{Batch: id, Bytes: end}); err != nil {
		return k.failed(err)
	}
	k.torn = false
	return nil
}

// save makes a place durable: as a new file that takes the place of the old one.
func (k *Sink) save(p place) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	name := k.path + positionSuffix
	f, err := k.root.OpenFile(name+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := k.root.Rename(name+".new", name); err != nil {
		return err
	}
	dir, err := k.root.Open(filepath.Dir(k.path))
	if err != nil {
		return err
	}
	if err := errors.Join(dir.Sync(), dir.Close()); err != nil {
		return err
	}
	k.at = p
	return nil
}

// Taken is the last batch that is safe.
func (k *Sink) Taken() uint64 { return k.at.Batch }

// Close closes the file, which stays.
func (k *Sink) Close() error {
	if k.file != nil {
		_ = k.file.Close()
	}
	return k.root.Close()
}

func (k *Sink) failed(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return sqlerr.New(sqlerr.WriteFailed, "The file '%s' cannot be written: %s", k.path, err)
}
