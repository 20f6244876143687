package connector

import (
	"strings"
	"testing"
	"time"
)

func TestOptions(t *testing.T) {
	k := &Kind{Name: "k", Options: []Option{
		{Name: "url", Type: Text, Required: true, Doc: "Where."},
		{Name: "rows", Type: Integer, Default: "5", Doc: "How many."},
		{Name: "wait", Type: Duration, Default: "10 s", Doc: "How long."},
	}}
	for _, c := range []struct {
		with map[string]string
		want string // in the error; empty: none
	}{
		{map[string]string{"connector": "k", "url": "x", "wait": "7 days"}, ""},
		{map[string]string{"url": "x", "partitions": "4"}, ""},
		{map[string]string{}, "needs the option 'url': Where."},
		{map[string]string{"url": "x", "rows": "-1"}, "not a number"},
		{map[string]string{"url": "x", "wait": "soon"}, "not a duration"},
		{map[string]string{"url": "x", "row": "1"}, "has no option 'row'; it has url, rows, wait"},
	} {
		v, err := k.Check(c.with, "partitions")
		switch {
		case err == nil && c.want != "", err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%v: %v, want %q", c.with, err, c.want)
		case err == nil && v.Integer("rows") != 5:
			t.Errorf("%v: the default of rows became %d", c.with, v.Integer("rows"))
		}
	}
	if v, _ := k.Check(map[string]string{"url": "x", "wait": "7 days"}); v.Duration("wait") != 7*24*time.Hour {
		t.Errorf("7 days are %v", v.Duration("wait"))
	}
}

func TestRegistry(t *testing.T) {
	r := NewRegistry(&Kind{Name: "b"}, &Kind{Name: "a"})
	if k, err := r.Kind("a"); err != nil || k.Name != "a" {
		t.Errorf("a: %v", err)
	}
	if _, err := r.Kind("c"); err == nil || !strings.Contains(err.Error(), "there are a, b") {
		t.Errorf("c: %v", err)
	}
}
