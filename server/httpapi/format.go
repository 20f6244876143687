package httpapi

import (
	"bytes"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"streamsql/sql/ingest"
	"streamsql/sql/ingest/arrowipc"
)

// formats are what a body may be, by its media type. What the request says about
// it is asked of the options.
var formats = map[string]func(*options) decoder{
	"application/x-ndjson":                jsonRows,
	"application/jsonl":                   jsonRows,
	"application/json":                    jsonRows,
	"text/csv":                            csvRows,
	"application/vnd.apache.arrow.stream": arrowRows,
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

// csvRows reads lines of RFC 4180: with a header that names the columns, or, with
// header=absent behind the media type or in the query, in the order of ?columns=,
// or else of the table.
func csvRows(o *options) decoder {
	header := o.params["header"]
	if header == "" {
		header = o.choice("header", "present", "absent")
	} else if header != "present" && header != "absent" {
		o.wrong("The header of a CSV is '%.64s'; it may be present or absent", header)
	}
	list, listed := o.text("columns")
	ignore := o.choice("unknown", "fail", "ignore") == "ignore"
	delimiter, ok := o.text("delimiter")
	switch {
	case !ok:
		delimiter = ","
	case len(delimiter) != 1 || strings.Contains("\"\r\n", delimiter):
		o.wrong("Parameter delimiter is '%.64s'; it is one byte, such as ; or %%09", delimiter)
	}
	if listed && header == "present" {
		o.wrong("Parameter columns is for a CSV without a header; say so by header=absent")
	}
	return func(data []byte, rows *ingest.Rows) error {
		d := &ingest.Delimited{Rows: rows, Layout: ingest.CSVLayout(delimiter[0])}
		d.Begin(bytes.NewReader(data))
		var names []string
		switch {
		case listed:
			names = strings.Split(list, ",")
		case header == "present":
			var any bool
			var err error
			if names, any, err = d.Header(); err != nil || !any {
				return err
			}
		}
		var err error
		if d.Fields, err = rows.Fields(names, ignore); err != nil {
			return err
		}
		return d.Read()
	}
}

// arrowRows reads an Arrow IPC stream.
func arrowRows(o *options) decoder {
	ignore := o.choice("unknown", "fail", "ignore") == "ignore"
	return func(data []byte, rows *ingest.Rows) error { return arrowipc.Read(data, rows, ignore) }
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
