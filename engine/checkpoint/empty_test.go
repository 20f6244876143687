package checkpoint

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestEmptyFiles: files that a killed process has just made, and not written to, hide
// nothing of what is there.
func TestEmptyFiles(t *testing.T) {
	for _, kind := range []string{"%06d.vlog", "%05d.mem"} {
		dir := filepath.Join(t.TempDir(), "checkpoint")
		sample(t, dir)
		have, err := filepath.Glob(filepath.Join(dir, "*"+filepath.Ext(kind)))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf(kind, len(have)+9)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := verdict(dir); got != "round 3" {
			t.Errorf("with an empty file like %s: %s", kind, got)
		}
	}
}
