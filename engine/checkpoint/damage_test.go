package checkpoint

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain runs the test binary as the process that opens damaged files, which
// Badger may end.
func TestMain(m *testing.M) {
	if dirs := os.Getenv("STREAMSQL_TEST_LOAD"); dirs != "" {
		for dir := range strings.SplitSeq(dirs, ":") {
			fmt.Println(verdict(dir))
		}
		os.Exit(0)
	}
	if os.Getenv("STREAMSQL_SOAK") == "" {
		_ = flag.Set("rapid.checks", "25") // each opens Badger several times
	}
	os.Exit(m.Run())
}

// content is what page p holds in a round of the sample.
func content(p, round uint64) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("page %d of round %d. ", p, round)), 200)
}

const samplePages = 8

// sample writes three rounds: each page is newest in one of the last two.
func sample(t *testing.T, dir string) {
	t.Helper()
	d := open(t, dir)
	for round := uint64(1); round <= 3; round++ {
		change := map[uint64][]byte{}
		for p := uint64(1); p <= samplePages; p++ {
			if round < 3 || p%2 == 0 {
				change[p] = content(p, round)
			}
		}
		put(t, d, round, change)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

// verdict opens the checkpoints under dir as a start does: the newest that
// verifies, else the one before. It says what it got: "round 3", "round 2",
// "nothing" with an error that was told, or "silent" and what is wrong.
func verdict(dir string) string {
	d, err := Open(dir)
	if err != nil {
		return "nothing: " + err.Error()
	}
	defer d.Close()
	told := d.Damage()
	for _, load := range []func() (*Manifest, error){d.Latest, d.Previous} {
		m, err := load()
		if err == nil {
			var got map[uint64]string
			if got, err = pages(d, m); err == nil {
				for p := uint64(1); p <= samplePages; p++ {
					want := content(p, m.Round)
					if m.Round == 3 && p%2 == 1 {
						want = content(p, 2)
					}
					if got[p] != string(want) { // what the caller's hash is for
						err = errors.Join(err, fmt.Errorf("page %d differs", p))
					}
				}
			}
			if err == nil {
				return fmt.Sprint("round ", m.Round)
			}
		}
		if told == nil && !errors.Is(err, ErrNone) {
			told = err
		}
	}
	if told == nil {
		return "silent: no checkpoint at all"
	}
	return "nothing: " + strings.ReplaceAll(told.Error(), "\n", "; ")
}

// verdicts opens damaged copies in a process of their own.
func verdicts(t *testing.T, dirs []string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "STREAMSQL_TEST_LOAD="+strings.Join(dirs, ":"))
	out, err := cmd.Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(dirs) {
		at := min(len(lines), len(dirs)-1)
		if len(out) == 0 {
			at = 0
		}
		var exit *exec.ExitError
		stderr := ""
		if errors.As(err, &exit) {
			stderr = string(exit.Stderr)
		}
		t.Fatalf("the process ended at number %d: %v\n%s", at, err, stderr[max(0, len(stderr)-4000):])
	}
	return lines
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "state")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

func files(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		i, err := e.Info()
		rel, _ := filepath.Rel(dir, path)
		out[rel] = i.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTornFiles cuts each file short: a start always succeeds, with a checkpoint
// that is whole, or is told why there is none.
func TestTornFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	sample(t, dir)
	var dirs, what []string
	for name, size := range files(t, dir) {
		step := max(512, (size/16)&^511)
		if os.Getenv("STREAMSQL_SOAK") != "" {
			step = max(512, (size/1024)&^511)
		}
		for cut := int64(0); cut < size; cut += step {
			torn := copyOf(t, dir)
			if err := os.Truncate(filepath.Join(torn, name), cut); err != nil {
				t.Fatal(err)
			}
			dirs, what = append(dirs, torn), append(what, fmt.Sprintf("%s cut at %d", name, cut))
		}
	}
	for i, v := range verdicts(t, dirs) {
		if strings.HasPrefix(v, "silent") {
			t.Errorf("%s: %s", what[i], v)
		}
	}
}

// TestFlippedManifestLength turns bits of the length of the manifest's first
// record, which must not pass for a store without tables.
func TestFlippedManifestLength(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	sample(t, dir)
	var dirs []string
	for at := int64(8); at < 12; at++ {
		for _, bit := range []byte{1, 16, 128} {
			flipped := copyOf(t, dir)
			path := filepath.Join(flipped, "MANIFEST")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data[at] ^= bit
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			dirs = append(dirs, flipped)
		}
	}
	for i, v := range verdicts(t, dirs) {
		if strings.HasPrefix(v, "silent") {
			t.Errorf("byte %d: %s", 8+i/3, v)
		}
	}
}

// TestFlippedTable turns each bit of a table: what Badger would trip over is found
// before it opens the table.
func TestFlippedTable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	sample(t, dir)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal("no tables", err)
	}
	data, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	check := func() (err error) {
		defer func() {
			if p := recover(); p != nil { // a kind of checksum that there is not; load recovers too
				err = fmt.Errorf("%v", p)
			}
		}()
		return checkTable(data)
	}
	if err := check(); err != nil {
		t.Fatal(err)
	}
	for at := range data {
		for bit := range 8 {
			data[at] ^= 1 << bit
			if check() == nil {
				t.Errorf("byte %d of %d, bit %d: not noticed", at, len(data), bit)
			}
			data[at] ^= 1 << bit
		}
	}
}

// TestFlippedBits turns single bits all over the files: never a wrong page.
func TestFlippedBits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	sample(t, dir)
	n := 40
	if os.Getenv("STREAMSQL_SOAK") != "" {
		n = 1000
	}
	var dirs, what []string
	for range n {
		flipped := copyOf(t, dir)
		for name := range files(t, flipped) { // a random one
			path := filepath.Join(flipped, name)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			data = bytes.TrimRight(data, "\x00") // holes hold nothing
			if len(data) == 0 {
				continue
			}
			at := rand.IntN(len(data))
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteAt([]byte{data[at] ^ 1<<rand.IntN(8)}, int64(at))
			if e := f.Close(); err != nil || e != nil {
				t.Fatal(err, e)
			}
			dirs, what = append(dirs, flipped), append(what, fmt.Sprintf("%s at %d", name, at))
			break
		}
	}
	whole := 0
	for i, v := range verdicts(t, dirs) {
		if strings.HasPrefix(v, "silent") {
			t.Errorf("%s: %s", what[i], v)
		}
		if strings.HasPrefix(v, "round") {
			whole++
		}
	}
	if whole == 0 {
		t.Error("no flip left a whole checkpoint")
	}
}
