// Package plot draws small line charts as SVG: a few lines over an axis whose values
// are far apart, which is why both axes are logarithmic. A chart brings its own
// background, light or dark as its reader prefers.
package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// Chart is one picture.
type Chart struct {
	Title string
	X, Y  string // what the axes show, with the unit
	Lines []Line
}

// Line joins points, in the order of their X.
type Line struct {
	Name   string
	Points []Point
}

// Point is a place. Low and High, if High is not 0, are how far its value went when
// it was measured again. All are above 0.
type Point struct{ X, Y, Low, High float64 }

// The picture, in pixels: its size, and what the plot leaves of it on each side.
const (
	width, height            = 640, 360
	left, right, top, bottom = 72, 32, 64, 48
)

// style colours the parts by their class. The lines differ in brightness too, and
// in how they are drawn.
const style = `
    svg { font: 13px system-ui, sans-serif; }
    .paper { fill: #ffffff; } text { fill: #24292f; } .title { font-size: 15px; font-weight: 600; }
    .grid { stroke: #d8dee4; } .axis { stroke: #57606a; }
    .line { fill: none; stroke-width: 2.2; } .spread { stroke-width: 1.2; }
    .c0 { stroke: #0550ae; } .c1 { stroke: #bc4c00; } .c2 { stroke: #116329; }
    .d0 { fill: #0550ae; } .d1 { fill: #bc4c00; } .d2 { fill: #116329; }
    .c1.line { stroke-dasharray: 7 4; } .c2.line { stroke-dasharray: 2 4; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #30363d; } .axis { stroke: #8b949e; }
      .c0 { stroke: #79c0ff; } .c1 { stroke: #ffa657; } .c2 { stroke: #7ee787; }
      .d0 { fill: #79c0ff; } .d1 { fill: #ffa657; } .d2 { fill: #7ee787; }
    }
`

// MaxLines is how many lines can be told apart.
const MaxLines = 3

// WriteSVG draws the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	xs, ys, err := c.ranges()
	if err != nil {
		return fmt.Errorf("chart %q: %w", c.Title, err)
	}
	d := &drawing{}
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">`, width, height, escaped(c.Title))
	d.printf("  <style>%s  </style>", style)
	d.printf(`  <rect class="paper" width="%d" height="%d"/>`, width, height)
	d.text(left, 24, "title", "start", c.Title)
	x := axis{xs, left, width - right}
	y := axis{ys, height - bottom, top}
	d.yAxis(y, c.Y)
	d.xAxis(x, c.X, c.places())
	for k, l := range c.Lines {
		d.line(k, &l, x, y)
	}
	d.legend(c.Lines)
	d.printf("</svg>")
	_, err = io.WriteString(w, d.String())
	return err
}

// span is the least and the largest of some values.
type span struct{ low, high float64 }

// ranges are those of both axes.
func (c *Chart) ranges() (x, y span, err error) {
	x, y = span{math.Inf(1), 0}, span{math.Inf(1), 0}
	if len(c.Lines) > MaxLines {
		return x, y, fmt.Errorf("%d lines, at most %d can be told apart", len(c.Lines), MaxLines)
	}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if !(p.X > 0 && p.Y > 0) || math.IsInf(p.X, 0) || math.IsInf(p.Y, 0) {
				return x, y, fmt.Errorf("line %q: the point %v, %v has no logarithm", l.Name, p.X, p.Y)
			}
			x = span{min(x.low, p.X), max(x.high, p.X)}
			y = span{min(y.low, p.Y), max(y.high, p.Y, p.High)}
			if p.Low > 0 {
				y.low = min(y.low, p.Low)
			}
		}
	}
	if x.high == 0 {
		return x, y, fmt.Errorf("there are no points")
	}
	// Between values that differ little, the axis still shows how little that is.
	y = span{y.low / 1.25, y.high * 1.25}
	if y.high/y.low < 10 {
		middle := math.Sqrt(y.low * y.high)
		y = span{middle / math.Sqrt(10), middle * math.Sqrt(10)}
	}
	if x.high == x.low {
		x = span{x.low / 2, x.high * 2}
	}
	return x, y, nil
}

// places are the values of X that there are.
func (c *Chart) places() (xs []float64) {
	for _, l := range c.Lines {
		for _, p := range l.Points {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// axis maps values to pixels.
type axis struct {
	span
	from, to int
}

func (a axis) at(v float64) float64 {
	share := math.Log(v/a.low) / math.Log(a.high/a.low)
	return float64(a.from) + share*float64(a.to-a.from)
}

// ticks are round values in the range: powers of ten, with 2 and 5 between them as
// long as those are few.
func (a axis) ticks() (out []float64) {
	steps := []float64{1, 2, 5}
	if a.high/a.low > 2000 {
		steps = steps[:1]
	}
	for e := math.Floor(math.Log10(a.low)); e <= math.Ceil(math.Log10(a.high)); e++ {
		for _, s := range steps {
			if v := s * math.Pow(10, e); v >= a.low && v <= a.high {
				out = append(out, v)
			}
		}
	}
	return out
}

// drawing is the text of a picture.
type drawing struct{ strings.Builder }

func (d *drawing) printf(format string, args ...any) {
	fmt.Fprintf(d, format, args...)
	d.WriteByte('\n')
}

func (d *drawing) text(x, y float64, class, anchor, text string) {
	d.printf(`  <text class="%s" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, class, x, y, anchor, escaped(text))
}

func (d *drawing) yAxis(a axis, name string) {
	for _, v := range a.ticks() {
		y := a.at(v)
		d.printf(`  <line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/>`, left, y, width-right, y)
		d.text(left-8, y+4, "tick", "end", Label(v))
	}
	d.text(left, 44, "name", "start", name)
	d.printf(`  <line class="axis" x1="%d" y1="%d" x2="%d" y2="%d"/>`, left, top, left, height-bottom)
}

// xAxis has a tick for each value that was measured.
func (d *drawing) xAxis(a axis, name string, places []float64) {
	d.printf(`  <line class="axis" x1="%d" y1="%d" x2="%d" y2="%d"/>`, left, height-bottom, width-right, height-bottom)
	for _, v := range places {
		x := a.at(v)
		d.printf(`  <line class="axis" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/>`, x, height-bottom, x, height-bottom+5)
		d.text(x, height-bottom+19, "tick", "middle", Label(v))
	}
	d.text((left+width-right)/2, height-10, "name", "middle", name)
}

func (d *drawing) line(k int, l *Line, x, y axis) {
	var path []string
	for _, p := range l.Points {
		path = append(path, fmt.Sprintf("%.1f,%.1f", x.at(p.X), y.at(p.Y)))
	}
	d.printf(`  <polyline class="line c%d" points="%s"/>`, k, strings.Join(path, " "))
	for _, p := range l.Points {
		if p.High > p.Low && p.Low > 0 {
			d.printf(`  <line class="spread c%d" x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f"/>`, k, x.at(p.X), y.at(p.Low), x.at(p.X), y.at(p.High))
		}
		d.printf(`  <circle class="d%d" cx="%.1f" cy="%.1f" r="3.5"><title>%s</title></circle>`, k, x.at(p.X), y.at(p.Y), escaped(l.Name+": "+Label(p.Y)))
	}
}

// legend names the lines above the plot, from the right.
func (d *drawing) legend(lines []Line) {
	if len(lines) < 2 {
		return
	}
	end := float64(width - right)
	for k, l := range slices.Backward(lines) {
		d.text(end, 44, "name", "end", l.Name)
		end -= 7.2*float64(len([]rune(l.Name))) + 8
		d.printf(`  <line class="line c%d" x1="%.1f" y1="40" x2="%.1f" y2="40"/>`, k, end-26, end)
		end -= 42
	}
}

// Label is a value in a few characters.
func Label(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e4, " K"}} {
		if v >= u.size {
			unit := u.size
			if u.name == " K" {
				unit = 1e3
			}
			return digits(v/unit) + u.name
		}
	}
	return digits(v)
}

// digits are three that count.
func digits(v float64) string {
	places := max(0, 2-int(math.Floor(math.Log10(v))))
	text := fmt.Sprintf("%.*f", places, v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}
