package settings

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// Flags are the flags of one command. What is wrong with them is one line; the
// list of flags is printed only to who asks.
type Flags struct {
	*flag.FlagSet
	args, about string
}

// NewFlags makes the flags of `streamsql name`. args shows what stands behind the
// name, about says what the command does.
func NewFlags(name, args, about string) *Flags {
	f := &Flags{flag.NewFlagSet("streamsql "+name, flag.ContinueOnError), args, about}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// Failed ends the reading of flags: asked for help it gives that on out, and any
// other error goes to errs in one line. It returns the exit code.
func (f *Flags) Failed(err error, out, errs io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		f.Help(out)
		return 0
	}
	text := strings.NewReplacer(
		"flag provided but not defined: ", "unknown flag ", "flag needs an argument: ", "a value is missing behind ",
	).Replace(err.Error())
	fmt.Fprintf(errs, "%s: %s (%s --help says more)\n", f.Name(), text, f.Name())
	return 2
}

// Help prints the usage and all flags, the names of one flag together.
func (f *Flags) Help(w io.Writer) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n", strings.TrimSpace(f.Name()+" "+f.args), f.about)
	var order []string
	names, first := map[string][]string{}, map[string]*flag.Flag{}
	f.VisitAll(func(x *flag.Flag) {
		if first[x.Usage] == nil {
			order, first[x.Usage] = append(order, x.Usage), x
		}
		names[x.Usage] = append(names[x.Usage], dashed(x.Name))
	})
	for i, usage := range order {
		if i == 0 {
			fmt.Fprintln(w)
		}
		x := first[usage]
		value, text := flag.UnquoteUsage(x)
		head := strings.Join(names[usage], ", ")
		if value != "" && !strings.ContainsAny(value, ":[") {
			value = strings.ToUpper(value)
		}
		head = strings.TrimSpace(head + " " + value)
		if d := x.DefValue; d != "" && d != "0" && d != "false" {
			text += fmt.Sprintf(" (default %s)", d)
		}
		fmt.Fprintf(w, "  %s\n        %s\n", head, text)
	}
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
