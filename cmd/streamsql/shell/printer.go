package shell

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"unicode"

	eastasian "golang.org/x/text/width"
)

// printer prints the rows of one result.
type printer interface {
	begin(columns []column) error
	row(fields []field) error // fields are only valid during the call
	end() error
}

type column struct {
	name   string
	number bool // right-aligned in a table
	null   bool // may be NULL: in a table, room for that is kept
}

type field struct {
	text []byte
	null bool
}

// tabPrinter prints lines with tabs between the values, the names first; as
// mysql --batch, it prints nothing at all for a result without rows.
type tabPrinter struct {
	out   *bufio.Writer
	names []column
}

func (p *tabPrinter) begin(columns []column) error {
	p.names = columns
	return nil
}

func (p *tabPrinter) row(fields []field) error {
	for i, c := range p.names { // before the first row
		if i > 0 {
			p.out.WriteByte('\t')
		}
		p.escape([]byte(c.name))
	}
	if p.names != nil {
		p.out.WriteByte('\n')
		p.names = nil
	}
	for i, f := range fields {
		if i > 0 {
			p.out.WriteByte('\t')
		}
		if f.null {
			p.out.WriteString("NULL")
		} else {
			p.escape(f.text)
		}
	}
	return p.out.WriteByte('\n')
}

func (p *tabPrinter) end() error { return nil }

func (p *tabPrinter) escape(s []byte) {
	if !bytes.ContainsAny(s, "\t\n\\\x00") {
		p.out.Write(s)
		return
	}
	for _, c := range s {
		switch c {
		case '\t':
			p.out.WriteString(`\t`)
		case '\n':
			p.out.WriteString(`\n`)
		case '\\':
			p.out.WriteString(`\\`)
		case 0:
			p.out.WriteString(`\0`)
		default:
			p.out.WriteByte(c)
		}
	}
}

// verticalPrinter prints a line for each value.
type verticalPrinter struct {
	out     *bufio.Writer
	columns []column
	width   int
	n       int
}

func (p *verticalPrinter) begin(columns []column) error {
	p.columns = columns
	for _, c := range columns {
		p.width = max(p.width, width([]byte(c.name)))
	}
	return nil
}

func (p *verticalPrinter) row(fields []field) error {
	p.n++
	stars := strings.Repeat("*", 27)
	fmt.Fprintf(p.out, "%s %d. row %s\n", stars, p.n, stars)
	for i, f := range fields {
		pad(p.out, p.width-width([]byte(p.columns[i].name)))
		p.out.WriteString(p.columns[i].name)
		p.out.WriteString(": ")
		p.out.Write(shown(f))
		p.out.WriteByte('\n')
	}
	return nil
}

func (p *verticalPrinter) end() error { return nil }

// tableRows is how many rows decide on the widths of a table's columns: what
// comes after them is printed as it comes, wider where it must be.
const tableRows = 1000

// tablePrinter prints a box.
type tablePrinter struct {
	out     *bufio.Writer
	columns []column
	widths  []int
	rows    [][]field // kept until the widths are known
	open    bool      // the head of the table is printed
}

func (p *tablePrinter) begin(columns []column) error {
	p.columns = columns
	p.widths = make([]int, len(columns))
	for i, c := range columns {
		p.widths[i] = width([]byte(c.name))
		if c.null {
			p.widths[i] = max(p.widths[i], len("NULL"))
		}
	}
	return nil
}

func (p *tablePrinter) row(fields []field) error {
	if p.open {
		return p.line(fields)
	}
	kept := make([]field, len(fields))
	for i, f := range fields {
		kept[i] = field{text: bytes.Clone(shown(f)), null: f.null}
		p.widths[i] = max(p.widths[i], width(kept[i].text))
	}
	p.rows = append(p.rows, kept)
	if len(p.rows) == tableRows {
		return p.flush()
	}
	return nil
}

// flush prints the head and the rows that were kept.
func (p *tablePrinter) flush() error {
	p.open = true
	p.rule()
	for i, c := range p.columns {
		p.out.WriteString("| ")
		p.out.WriteString(c.name)
		pad(p.out, p.widths[i]-width([]byte(c.name))+1)
	}
	p.out.WriteString("|\n")
	p.rule()
	for _, fields := range p.rows {
		if err := p.line(fields); err != nil {
			return err
		}
	}
	p.rows = nil
	return nil
}

func (p *tablePrinter) rule() {
	for _, w := range p.widths {
		p.out.WriteString("+" + strings.Repeat("-", w+2))
	}
	p.out.WriteString("+\n")
}

func (p *tablePrinter) line(fields []field) error {
	for i, f := range fields {
		text := shown(f)
		space := p.widths[i] - width(text)
		p.out.WriteString("| ")
		if p.columns[i].number {
			pad(p.out, space)
			p.out.Write(text)
			space = 0
		} else {
			p.out.Write(text)
		}
		pad(p.out, max(space, 0)+1)
	}
	_, err := p.out.WriteString("|\n")
	return err
}

func (p *tablePrinter) end() error {
	if !p.open && len(p.rows) == 0 {
		return nil
	}
	if !p.open {
		if err := p.flush(); err != nil {
			return err
		}
	}
	p.rule()
	return nil
}

func shown(f field) []byte {
	if f.null {
		return []byte("NULL")
	}
	return f.text
}

// width is how many cells of a terminal a text takes.
func width(s []byte) (n int) {
	for _, r := range string(s) {
		if r < 0x80 {
			n++
			continue
		}
		switch kind := eastasian.LookupRune(r).Kind(); {
		case kind == eastasian.EastAsianWide || kind == eastasian.EastAsianFullwidth:
			n += 2
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf): // combining: no cell of their own
		default:
			n++
		}
	}
	return n
}

func pad(out *bufio.Writer, n int) {
	for ; n > 0; n-- {
		out.WriteByte(' ')
	}
}
