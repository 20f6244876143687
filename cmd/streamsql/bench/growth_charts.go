package bench

import (
	"errors"
	"os"
	"path/filepath"

	"streamsql/cmd/streamsql/bench/plot"
)

// chart is some figures of a dimension in one picture.
type chart struct {
	name  string // of the file, after the dimension's
	y     string
	lines []chartLine
}

// chartLine is a figure, and what it is called in the picture.
type chartLine struct{ figure, label string }

// draw writes the charts of all dimensions that the report has results of.
func (r *Report) draw(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, d := range dimensions {
		for _, c := range d.charts {
			if err := r.drawChart(dir, d, &c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Report) drawChart(dir string, d *dimension, c *chart) error {
	picture := &plot.Chart{Title: d.title, X: d.axis, Y: c.y}
	for _, l := range c.lines {
		line := plot.Line{Name: l.label}
		for i := range r.Results {
			x := &r.Results[i]
			if f := x.figure(l.figure); x.Series == d.name && f != nil {
				line.Points = append(line.Points, plot.Point{X: x.X, Y: f.Value, Low: f.Low, High: f.High})
			}
		}
		if len(line.Points) > 0 {
			picture.Lines = append(picture.Lines, line)
		}
	}
	if len(picture.Lines) == 0 {
		return nil
	}
	f, err := os.Create(filepath.Join(dir, "growth-"+d.name+"-"+c.name+".svg"))
	if err != nil {
		return err
	}
	return errors.Join(picture.WriteSVG(f), f.Close())
}
