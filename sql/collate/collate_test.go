package collate

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"streamsql/sql/types"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		c    types.Collation
		a, b string
		want int
	}{
		{types.UTF8MB4Bin, "a", "a  ", 0}, {types.UTF8MB4Bin, "a", "A", 1}, {types.UTF8MB4Bin, "a\t", "a", -1}, {types.UTF8MB4Bin, "", " ", 0},
		{types.BinaryCollation, "a", "a ", -1}, {types.UTF8MB4GeneralCI, "ÄPFEL ", "apfel", 0}, {types.UTF8MB4GeneralCI, "b", "A", 1},
		{types.UTF8MB40900AICI, "Résumé", "resume", 0}, {types.UTF8MB40900AICI, "a", "a ", -1}, {types.UTF8MB40900AICI, "a", "B", -1},
	} {
		got := Compare(c.c, []byte(c.a), []byte(c.b))
		if got > 0 {
			got = 1
		} else if got < 0 {
			got = -1
		}
		if got != c.want {
			t.Errorf("collation %d: %q with %q: %d, want %d", c.c, c.a, c.b, got, c.want)
		}
	}
}

// Keys must be equal exactly when the texts are.
func TestKeys(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aAbB äÄé\t")), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		c := types.Collation(rapid.IntRange(0, 3).Draw(t, "collation"))
		a, b := []byte(text.Draw(t, "a")), []byte(text.Draw(t, "b"))
		equal := bytes.Equal(AppendKey(nil, c, a), AppendKey(nil, c, b))
		if cmp := Compare(c, a, b); equal != (cmp == 0) || cmp != 0 && (cmp < 0) == (Compare(c, b, a) < 0) {
			t.Fatalf("collation %d: %q with %q: %d, keys equal: %v", c, a, b, cmp, equal)
		}
	})
}
