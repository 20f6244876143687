package file

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
	"streamsql/sql/types"
)

func sinkSpec(changelog connector.Changelog, isNew bool) connector.SinkSpec {
	return connector.SinkSpec{
		Columns:   []connector.Column{{Name: "id", Type: types.MakeBigInt()}, {Name: "name", Type: types.MakeVarChar(9)}},
		Changelog: changelog, Options: connector.Values{"path": "out.json"}, New: isNew,
	}
}

func mustSink(t *testing.T, dir string, s connector.SinkSpec) *Sink {
	t.Helper()
	k, err := NewSink(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { k.Close() })
	return k
}

func write(t *testing.T, k *Sink, id uint64, text string) {
	t.Helper()
	ts := []types.Type{types.MakeBigInt(), types.MakeVarChar(9)}
	if err := k.Write(t.Context(), id, []*batch.Chunk{batch.MustParse(ts, text)}); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, dir string, lines ...string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if want := strings.Join(lines, "\n"); err != nil || strings.TrimSuffix(string(got), "\n") != want {
		t.Errorf("the file is\n%swant\n%s\n%v", got, want, err)
	}
}

// What comes again is not written again, and what a crash left half written goes.
func TestSinkOnce(t *testing.T) {
	dir := t.TempDir()
	k := mustSink(t, dir, sinkSpec(connector.Append, true))
	write(t, k, 3, "+1 1 a\n+2 2 b")
	write(t, k, 3, "+1 1 a\n+2 2 b")
	first, second := `{"id":1,"name":"a"}`, `{"id":2,"name":"b"}`
	wantFile(t, dir, first, second, second)

	// A crash after the rows of batch 5 and before its place.
	f, err := os.OpenFile(filepath.Join(dir, "out.json"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"id":9,"na`)
	f.Close()
	k = mustSink(t, dir, sinkSpec(connector.Append, false))
	if k.Taken() != 3 {
		t.Errorf("taken: batch %d, want 3", k.Taken())
	}
	write(t, k, 3, "+1 1 a\n+2 2 b")
	write(t, k, 5, "+1 3 NULL")
	wantFile(t, dir, first, second, second, `{"id":3,"name":null}`)
}

func TestSinkRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "out.json"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	csv := sinkSpec(connector.Append, true)
	csv.Options = connector.Values{"path": "other.json", "format": "csv"}
	out := sinkSpec(connector.Append, true)
	out.Options = connector.Values{"path": "../x.json"}
	for _, c := range []struct {
		spec connector.SinkSpec
		want string
	}{
		{sinkSpec(connector.Append, true), "not empty"},
		{sinkSpec(connector.Append, false), "cannot be written"}, // it lacks its place
		{csv, "is 'json', not 'csv'"},
		{out, "is not in the server's directory for files"},
	} {
		if k, err := NewSink(dir, c.spec); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, %v", c.spec, k, err)
		}
	}
	// A file that is shorter than it was safe is not the sink's own any more.
	k := mustSink(t, dir, func() connector.SinkSpec {
		s := sinkSpec(connector.Append, true)
		s.Options["path"] = "b.json"
		return s
	}())
	write(t, k, 1, "+1 1 a")
	if err := os.Truncate(filepath.Join(dir, "b.json"), 3); err != nil {
		t.Fatal(err)
	}
	again := sinkSpec(connector.Append, false)
	again.Options["path"] = "b.json"
	if _, err := NewSink(dir, again); err == nil || !strings.Contains(err.Error(), "after batch 1") {
		t.Errorf("a file that was cut: %v", err)
	}
}
