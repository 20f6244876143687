package servers

import (
	"os"
	"strings"
	"testing"
)

// List reads a file of what waits for a feature: a line each, what it is, the
// separator, and the feature. Lines that begin with # are comments.
func List(t testing.TB, file, separator string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		what, feature, ok := strings.Cut(line, separator)
		if feature = strings.TrimSpace(feature); !ok || feature == "" {
			t.Errorf("%s:%d: want what it is, %q and a feature", file, i+1, separator)
		}
		if _, twice := out[what]; twice {
			t.Errorf("%s:%d: %s stands twice", file, i+1, what)
		}
		out[what] = feature
	}
	return out
}
