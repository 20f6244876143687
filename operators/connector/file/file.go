// Package file is the connector of files on the server's disk: dimension tables
// in CSV or in lines of JSON, looked up by key, and sinks that append lines of JSON,
// each change exactly once.
//
// A file that is looked up in is read whole and held in memory, by its key. When its size or its time
// of change is another one it is read again, at the next question that the
// table's cache cannot answer. A file that cannot be read, a value that is not of
// its column's type, and a NULL in a NOT NULL column are errors of the question.
// Of several lines with one key the last counts.
package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/operators/state"
	"streamsql/sql/sqlerr"
	"streamsql/sql/vector"
)

// Kind returns the connector. Files lie in dir or below it, symbolic links
// followed; a path that leads out of it is refused.
func Kind(dir string) *connector.Kind {
	return &connector.Kind{
		Name:    "file",
		Doc:     "A file on the server's disk, in its directory for files (--files) or below it: for dimension tables, and for sinks, which append lines of JSON to it.",
		Example: "CREATE DIMENSION TABLE customers (id BIGINT PRIMARY KEY, city VARCHAR(32)) WITH (connector = 'file', path = 'customers.csv', format = 'csv')",
		Options: []connector.Option{
			{Name: "path", Type: connector.Text, Required: true, Doc: "The file, as seen from the server's directory for files."},
			{Name: "format", Type: connector.Text, Doc: "'csv', whose first line names the columns, or 'json', an object a line. Without, a dimension table is in CSV and a sink writes JSON."},
		},
		Changelogs: []connector.Changelog{connector.Append, connector.Upsert, connector.Retract},
		Sink:       func(s connector.SinkSpec) (connector.Sink, error) { return NewSink(dir, s) },
		Lookup: func(cols []connector.Column, keys []int, o connector.Values) (connector.Lookup, error) {
			return New(dir, cols, keys, o)
		},
	}
}

// Lookup answers from a file.
type Lookup struct {
	dir, path string
	cols      []connector.Column
	keys      []int
	codec     *state.Codec
	read      func(text []byte, cols []connector.Column) ([]*vector.Vector, int, error)

	mu     sync.Mutex
	size   int64
	time   time.Time
	loaded *rows // nil: not yet
}

// rows is a file that was read.
type rows struct {
	chunk *batch.Chunk
	byKey map[string]int32
}

// New makes a Lookup. It does not read the file yet.
func New(dir string, cols []connector.Column, keys []int, o connector.Values) (*Lookup, error) {
	l := &Lookup{dir: dir, cols: cols, keys: keys, codec: keyCodec(cols, keys)}
	switch f := strings.ToLower(o.Text("format")); f {
	case "csv", "":
		l.read = readCSV
	case "json":
		l.read = readJSON
	default:
		return nil, sqlerr.New(sqlerr.WrongValueForVar, "Option 'format' of connector 'file' is 'csv' or 'json', not '%s'", f)
	}
	var err error
	l.path, err = below(dir, o.Text("path"))
	return l, err
}

// below is a file's path as seen from the directory for files, which it must not leave.
func below(dir, given string) (string, error) {
	path := filepath.Clean(given)
	if filepath.IsAbs(path) {
		full, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		if path, err = filepath.Rel(full, path); err != nil {
			return "", outside(given, full)
		}
	}
	if !filepath.IsLocal(path) {
		return "", outside(given, dir)
	}
	return path, nil
}

func outside(path, dir string) error {
	return sqlerr.New(sqlerr.OptionPreventsStmt, "The file '%s' is not in the server's directory for files, '%s' (--files)", path, dir)
}

// Get returns the rows for the keys.
func (l *Lookup) Get(ctx context.Context, keys *batch.Chunk) (*batch.Chunk, []int32, error) {
	r, err := l.current()
	if err != nil {
		return nil, nil, err
	}
	var sel, of []int32
	var enc []byte
	for i := range keys.N {
		enc = l.codec.Append(enc[:0], keys.Cols, i)
		if at, ok := r.byKey[string(enc)]; ok {
			sel, of = append(sel, at), append(of, int32(i))
		}
	}
	return r.chunk.Gather(sel), of, nil
}

// Scan gives all rows, in the order of the file.
func (l *Lookup) Scan(context.Context) (func(int) *batch.Chunk, error) {
	r, err := l.current()
	if err != nil {
		return nil, err
	}
	last := make([]int32, 0, len(r.byKey))
	var enc []byte
	key := pick(r.chunk.Cols, l.keys)
	for i := range r.chunk.N {
		if enc = l.codec.Append(enc[:0], key, i); r.byKey[string(enc)] == int32(i) {
			last = append(last, int32(i))
		}
	}
	return func(max int) *batch.Chunk {
		n := min(max, len(last))
		if n == 0 {
			return nil
		}
		c := r.chunk.Gather(last[:n])
		last = last[n:]
		return c
	}, nil
}

// Close does nothing: the file is not held open.
func (l *Lookup) Close() error { return nil }

// current is the file as it is now.
func (l *Lookup) current() (*rows, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(l.path)
	if err != nil {
		return nil, l.failed(err)
	}
	if l.loaded != nil && info.Size() == l.size && info.ModTime().Equal(l.time) {
		return l.loaded, nil
	}
	if !info.Mode().IsRegular() {
		return nil, l.failed(fmt.Errorf("not a regular file"))
	}
	text, err := fs.ReadFile(root.FS(), filepath.ToSlash(l.path))
	if err != nil {
		return nil, l.failed(err)
	}
	cols, n, err := l.read(text, l.cols)
	if err != nil {
		return nil, l.failed(err)
	}
	r := &rows{chunk: &batch.Chunk{Cols: cols, N: n}, byKey: make(map[string]int32, n)}
	var enc []byte
	key := pick(cols, l.keys)
	for i := range n {
		enc = l.codec.Append(enc[:0], key, i)
		r.byKey[string(enc)] = int32(i)
	}
	l.loaded, l.size, l.time = r, info.Size(), info.ModTime()
	return r, nil
}

func (l *Lookup) failed(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return sqlerr.New(sqlerr.FileNotFound, "The file '%s' cannot be read: %s", l.path, err)
}

func pick(cols []*vector.Vector, at []int) []*vector.Vector {
	out := make([]*vector.Vector, len(at))
	for k, i := range at {
		out[k] = cols[i]
	}
	return out
}
