package regex

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// same compares a Pattern with package regexp on a text.
func same(t *testing.T, p *Pattern, text string) {
	t.Helper()
	want := p.re.FindIndex([]byte(text))
	start, end, ok := p.Find([]byte(text))
	if ok != (want != nil) || ok && (start != want[0] || end != want[1]) {
		t.Errorf("%q in %q: [%d %d] %v, want %v", p.re, text, start, end, ok, want)
	}
	if got := p.Match([]byte(text)); got != (want != nil) {
		t.Errorf("%q in %q: matches: %v", p.re, text, got)
	}
}

func TestPatterns(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "ba", "aab", "abab", "channel_id=7", "x?q=1&channel_id=77&r=2", "é", "aé", "éa", "日本語", "Kelvin \u212A k", "a\nb", "\xff", "a\xffb", "foobar", "barfoo"}
	for _, c := range []struct {
		re   string
		fast bool
	}{
		{`(&|^)channel_id=([^&]*)`, true}, {`a`, true}, {`^a`, true}, {`a$`, true}, {`^$`, true}, {`$`, true}, {`^`, true}, {``, true},
		{`a*`, true}, {`a*?`, true}, {`a+?b`, true}, {`a|ab`, true}, {`ab|a`, true}, {`(a|ab)(b|)`, true}, {`(?i)k`, true}, {`(?i)STRASSE|É`, true},
		{`[^a]`, true}, {`.`, true}, {`(?s).`, true}, {`\d{2,3}`, true}, {`é+`, true}, {`[日-語]{2}`, true}, {`\p{L}+$`, true}, {`[\pL\pM\p{Nd}\p{Pc}]+x`, true}, {`(\p{Lu}|[^\p{Nd}])+`, true}, {`(^a|b$)`, true},
		{`(a$|ab)`, true}, {`x*$`, true}, {`[a-z]*foo`, true}, {`\bfoo`, false}, {`(?m)^b`, false}, {`(a|b)*a(a|b){9}`, true}, {`(a|b)*a(a|b){13}`, false}, {`\z`, true}, {`a$b`, true},
	} {
		p := New(regexp.MustCompile(c.re))
		if (p.forward != nil) != c.fast {
			t.Errorf("%q has an automaton: %v", c.re, p.forward != nil)
		}
		for _, text := range texts {
			same(t, p, text)
		}
	}
}

// TestRandomPatterns makes expressions and texts up, of few letters.
func TestRandomPatterns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var expression func(depth int) string
	expression = func(depth int) string {
		if depth == 0 {
			return pick("a", "b", "c", "é", ".", "[ab]", "[^a]", "^", "$", "", "ab", "ca", "(?i:A)", "abca", "bcabcac")
		}
		switch rng.IntN(6) {
		case 0:
			return "(" + expression(depth-1) + "|" + expression(depth-1) + ")"
		case 1:
			return "(?:" + expression(depth-1) + ")" + pick("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}")
		case 2:
			return "(" + expression(depth-1) + ")"
		default:
			return expression(depth-1) + expression(depth-1)
		}
	}
	fast, runs := 0, 0
	for range 3000 {
		re, err := regexp.Compile(expression(1 + rng.IntN(4)))
		if err != nil {
			continue // as (?:^)* with a count too large
		}
		p := New(re)
		if p.forward != nil {
			fast++
			for _, a := range []*automaton{p.forward, p.backward} {
				for _, about := range a.states {
					runs += min(len(about.run), 1)
				}
			}
		}
		for range 12 {
			var text strings.Builder
			for range rng.IntN(12) {
				text.WriteString(pick("a", "b", "c", "A", "é", "\n", "abc", "bcabca"))
			}
			same(t, p, text.String())
		}
		if t.Failed() {
			return
		}
	}
	if fast < 2500 || runs < 1000 {
		t.Errorf("only %d of 3000 have automata, with %d runs", fast, runs)
	}
}

func BenchmarkFind(b *testing.B) {
	re := regexp.MustCompile(`(&|^)channel_id=([^&]*)`)
	url := []byte("https://www.nexmark.com/abc/defg/hij/item.htm?query=1&channel_id=1073741824")
	p := New(re)
	b.Run("pattern", func(b *testing.B) {
		for b.Loop() {
			p.Find(url)
		}
	})
	b.Run("regexp", func(b *testing.B) {
		for b.Loop() {
			re.FindIndex(url)
		}
	})
}
