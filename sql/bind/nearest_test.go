package bind

import "testing"

func TestNearest(t *testing.T) {
	columns := []string{"amount", "Seller", "ts", "buyer"}
	for _, c := range []struct{ name, want string }{
		{"amuont", "amount"}, {"amoun", "amount"}, {"SELER", "Seller"}, {"t", "ts"}, {"buyers", "buyer"},
		{"account", "amount"}, {"price", ""}, {"x", ""}, {"", ""},
	} {
		if got, _ := nearest(c.name, columns); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSlips(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"ab", "ba", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}, {"é", "e", 1}} {
		if got := slips([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
