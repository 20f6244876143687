package batch

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"streamsql/sql/decimal"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// The text of a changelog: a row a line, its weight (a sign, and a number unless
// it is 1), then its values parted by spaces: `+2 a 1`, `- b NULL`. A value
// that is empty, is the word NULL or holds a space, a quote or a # stands
// between single quotes, with '' for a quote. What follows a # is a comment.

// Parse reads a changelog of rows of the types ts.
func Parse(ts []types.Type, text string) (*Chunk, error) {
	c := New(ts, 8)
	for n, line := range strings.Split(text, "\n") {
		fields, err := splitLine(line)
		if err == nil && len(fields) > 0 {
			err = c.parseRow(fields)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d (%s): %w", n+1, strings.TrimSpace(line), err)
		}
	}
	return c, nil
}

// MustParse is Parse for tests, of text that is known to be right.
func MustParse(ts []types.Type, text string) *Chunk {
	c, err := Parse(ts, text)
	if err != nil {
		panic(err)
	}
	return c
}

// field is one word of a line.
type field struct {
	text   string
	quoted bool
}

func splitLine(line string) ([]field, error) {
	var out []field
	for {
		line = strings.TrimLeft(line, " \t\r")
		switch {
		case line == "" || line[0] == '#':
			return out, nil
		case line[0] == '\'':
			var b strings.Builder
			for line = line[1:]; ; {
				end := strings.IndexByte(line, '\'')
				if end < 0 {
					return nil, fmt.Errorf("a quote is not closed")
				}
				b.WriteString(line[:end])
				line = line[end+1:]
				if line == "" || line[0] != '\'' {
					break
				}
				b.WriteByte('\'')
				line = line[1:]
			}
			out = append(out, field{b.String(), true})
		default:
			end := strings.IndexAny(line, " \t\r#")
			if end < 0 {
				end = len(line)
			}
			out = append(out, field{line[:end], false})
			line = line[end:]
		}
	}
}

func (c *Chunk) parseRow(fields []field) error {
	w := fields[0].text
	if w == "+" || w == "-" {
		w += "1"
	}
	weight, err := strconv.ParseInt(w, 10, 64)
	if err != nil || w[0] != '+' && w[0] != '-' {
		return fmt.Errorf("%q is not a weight", fields[0].text)
	}
	if len(fields)-1 != len(c.Cols) {
		return fmt.Errorf("%d values for %d columns", len(fields)-1, len(c.Cols))
	}
	for k, f := range fields[1:] {
		if err := parseValue(c.Cols[k], f); err != nil {
			return err
		}
	}
	c.PushWeight(weight)
	return nil
}

func parseValue(v *vector.Vector, f field) error {
	if f.text == "NULL" && !f.quoted {
		v.AppendNull()
		return nil
	}
	bad := fmt.Errorf("%q is not of the column's type", f.text)
	switch v.Type.Class() {
	case types.ClassFloat:
		x, err := strconv.ParseFloat(f.text, 64)
		if err != nil {
			return bad
		}
		v.AppendFloat(x)
	case types.ClassDecimal:
		n := decimal.Parse([]byte(f.text), v.Type.Scale)
		w, ok := decimal.Rescale(n.Value, n.Scale, v.Type.Scale)
		if n.N != len(f.text) || n.Over || !ok {
			return bad
		}
		v.AppendWide(w)
	case types.ClassBytes:
		v.AppendString(f.text)
	default:
		x, ok := parseInt(v.Type, f.text)
		if !ok {
			return bad
		}
		v.AppendInt(x)
	}
	return nil
}

func parseInt(t types.Type, s string) (int64, bool) {
	switch {
	case t.HasDate():
		p := types.ParseDateTime([]byte(s))
		return p.US, p.OK
	case t.Kind == types.Time:
		p := types.ParseTime([]byte(s))
		return p.US, p.OK
	case t.Unsigned:
		x, err := strconv.ParseUint(s, 10, 64)
		return int64(x), err == nil
	}
	x, err := strconv.ParseInt(s, 10, 64)
	return x, err == nil
}

// AppendRow appends the text of row i, without weight or newline.
func (c *Chunk) AppendRow(dst []byte, i int) []byte {
	for k, v := range c.Cols {
		if k > 0 {
			dst = append(dst, ' ')
		}
		if v.IsNull(i) {
			dst = append(dst, "NULL"...)
			continue
		}
		at := len(dst)
		dst = v.AppendText(dst, i, time.UTC)
		if s := string(dst[at:]); s == "" || s == "NULL" || strings.ContainsAny(s, " \t\r\n'#") {
			dst = append(append(append(dst[:at], '\''), strings.ReplaceAll(s, "'", "''")...), '\'')
		}
	}
	return dst
}

// weightText is how a weight is written.
func weightText(w int64) string {
	switch w {
	case 1:
		return "+"
	case -1:
		return "-"
	}
	return fmt.Sprintf("%+d", w)
}

// String is the changelog as text, row by row.
func (c *Chunk) String() string {
	var b []byte
	for i := range c.N {
		b = append(b, weightText(c.Weight(i))...)
		if len(c.Cols) > 0 {
			b = append(b, ' ')
		}
		b = append(c.AppendRow(b, i), '\n')
	}
	return string(b)
}

// Text is the consolidated changelog of all chunks as text: equal rows put
// together, those of weight 0 left out, in the order of their texts.
func Text(chunks ...*Chunk) string {
	weights := map[string]int64{}
	for _, c := range chunks {
		for i := range c.N {
			weights[string(c.AppendRow(nil, i))] += c.Weight(i)
		}
	}
	rows := make([]string, 0, len(weights))
	for r, w := range weights {
		if w != 0 {
			rows = append(rows, r)
		}
	}
	sort.Strings(rows)
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(strings.TrimRight(weightText(weights[r])+" "+r, " ") + "\n")
	}
	return b.String()
}
