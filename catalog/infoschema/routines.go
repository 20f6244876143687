package infoschema

import (
	"strings"

	"streamsql/catalog"
	"streamsql/sql/types"
)

// eachFunction calls f for each function of the user's own.
func (r *rows) eachFunction(f func(*catalog.Function)) {
	for _, d := range r.catalog.Databases() {
		for _, fn := range r.catalog.Functions(d.Name) {
			f(fn)
		}
	}
}

func routines(r *rows) {
	r.eachFunction(func(f *catalog.Function) {
		d := f.Definition
		t := dataType(d.Returns)
		r.add(f.Name(), "def", f.Database(), f.Name(), "FUNCTION", t.name, t.chars, t.octets, t.prec, t.scale, t.fsp, t.charset, t.collation, t.full,
			"EXTERNAL", Code(f), nil, strings.ToUpper(d.Language), "SQL", "YES", "NO SQL", nil,
			"DEFINER", f.CreatedAt, f.AlteredAt, f.Session.SQLMode, f.Comment, "", charset, f.Session.Collation, collation)
	})
}

func parameters(r *rows) {
	r.eachFunction(func(f *catalog.Function) {
		add := func(at int, mode, name any, typ types.Type) {
			t := dataType(typ)
			r.add("def", f.Database(), f.Name(), at, mode, name, t.name, t.chars, t.octets, t.prec, t.scale, t.fsp, t.charset, t.collation, t.full, "FUNCTION")
		}
		add(0, nil, nil, f.Definition.Returns)
		for i, p := range f.Definition.Params {
			add(i+1, "IN", p.Name, p.Type)
		}
	})
}

// Code is a function's code as SHOW shows it; nil: it is not text.
func Code(f *catalog.Function) any {
	if f.Definition.Language == "wasm" {
		return nil
	}
	return string(f.Definition.Code)
}

// described is a type in the columns that information_schema has for one.
type described struct {
	name, full                      string
	chars, octets, prec, scale, fsp any
	charset, collation              any
}

func dataType(t types.Type) described {
	d := described{full: t.String(), collation: Collation(t)}
	d.name, _, _ = strings.Cut(d.full, "(")
	d.name, _, _ = strings.Cut(d.name, " ")
	d.chars, d.octets = textLength(t)
	d.prec, d.scale, d.fsp = precision(t)
	if d.collation != nil {
		d.charset = charset
	}
	return d
}
