package nexmark

import (
	"strings"
	"testing"
)

func TestEveryQueryIsThere(t *testing.T) {
	for q := range Queries {
		if text := Text(q); !strings.HasPrefix(text, "SELECT ") || strings.Contains(text, ";") {
			t.Errorf("q%d is %q", q, text)
		}
		if Title(q) == "" || strings.Contains(Title(q), "CREATE") {
			t.Errorf("q%d: title %q", q, Title(q))
		}
		if !strings.Contains(Check(q), "ORDER BY") || len(Expected(q)) == 0 {
			t.Errorf("q%d: check %q, %d rows", q, Check(q), len(Expected(q)))
		}
	}
	rows := 0
	for _, s := range Load() {
		rows += strings.Count(s, "\n(")
	}
	if rows < 10_000 || len(Schema()) != 4 {
		t.Errorf("%d rows, %d tables", rows, len(Schema()))
	}
}
