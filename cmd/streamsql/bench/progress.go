package bench

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// progress says on standard error what goes on: on a terminal in one line that
// changes, else in a line now and then.
type progress struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	open     bool // the line is not ended
	last     time.Time
}

// every is how often a line that changes is printed where it cannot change.
const every = 5 * time.Second

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// say prints what stays.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.w, format+"\n", args...)
	p.last = time.Now()
}

// show prints what the next one takes the place of.
func (p *progress) show(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.terminal {
		if time.Since(p.last) >= every {
			fmt.Fprintf(p.w, format+"\n", args...)
			p.last = time.Now()
		}
		return
	}
	p.clear()
	fmt.Fprintf(p.w, format, args...)
	p.open = true
}

// clear takes the line away that can change.
func (p *progress) clear() {
	if p.open {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.open = false
	}
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}
