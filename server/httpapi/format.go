package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"streamsql/sql/ingest"
)

// formats are what a body may be, by its media type. What the request says about
// it is asked of the options.
var formats = map[string]func(*options) decoder{
	"application/x-ndjson": jsonRows,
	"application/jsonl":    jsonRows,
	"application/json":     jsonRows,
}

func mediaTypes() []string { return slices.Sorted(maps.Keys(formats)) }

// jsonRows reads objects, a row each, on lines or in an array.
func jsonRows(o *options) decoder {
	ignore := o.choice("unknown", "fail", "ignore") == "ignore"
	return func(data []byte, rows *ingest.Rows) error {
		d := ingest.NewJSON(rows)
		d.IgnoreUnknown = ignore
		return d.Decode(data)
	}
}

// options are the parameters of a request, each asked for once.
type options struct {
	values url.Values        // behind the path
	params map[string]string // of the Content-Type
	err    error
}

// text takes the parameter called name.
func (o *options) text(name string) (string, bool) {
	all, ok := o.values[name]
	delete(o.values, name)
	if len(all) > 1 {
		o.wrong("Parameter %s is there twice", name)
	}
	if !ok || len(all) == 0 {
		return "", false
	}
	return all[0], true
}

// choice takes a parameter with fixed values, the first of which is the default.
func (o *options) choice(name string, values ...string) string {
	s, ok := o.text(name)
	switch {
	case !ok:
		return values[0]
	case !slices.Contains(values, s):
		o.wrong("Parameter %s is '%.64s'; it may be %s", name, s, strings.Join(values, " or "))
	}
	return s
}

func (o *options) wrong(format string, args ...any) {
	if o.err == nil {
		o.err = refused(http.StatusBadRequest, format, args...)
	}
}

// done is what is wrong with the parameters.
func (o *options) done() error {
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		o.wrong("Parameter %.64s is not known", name)
	}
	return o.err
}
