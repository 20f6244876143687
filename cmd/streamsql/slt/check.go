package slt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// statement runs a record that expects success or an error. A statement may
// return rows; they are read and thrown away.
func (r *runner) statement(ctx context.Context, c *session, rec *record, text string) verdict {
	_, _, err := fetch(ctx, c, text)
	if !rec.wantErr {
		if err != nil {
			return wrong("want success", "+ "+err.Error())
		}
		c.remember(text)
		return right
	}
	return rec.checkError(err)
}

// checkError compares an error with the one that the record wants.
func (rec *record) checkError(err error) verdict {
	if err == nil {
		return wrong("want an error", "- "+rec.wantedError(), "+ success")
	}
	var my *mysql.MySQLError
	isMy := errors.As(err, &my)
	fail := func(reason string) verdict { return wrong(reason, "- "+rec.wantedError(), "+ "+err.Error()) }
	switch {
	case len(rec.errNums) > 0 && !(isMy && slices.Contains(rec.errNums, int(my.Number))):
		return fail("other error number")
	case rec.errRe != nil && !rec.errRe.MatchString(err.Error()):
		return fail("other error message")
	case !isMy:
		return fail("the connection failed instead of an error from the server")
	}
	return right
}

func (rec *record) wantedError() string {
	var parts []string
	for _, n := range rec.errNums {
		parts = append(parts, strconv.Itoa(n))
	}
	s := strings.Join(parts, "|")
	if rec.errRe != nil {
		s += " /" + strings.TrimPrefix(rec.errRe.String(), "(?is)") + "/"
	}
	if s == "" {
		return "any error"
	}
	return "error " + s
}

// query runs a record that expects rows.
func (r *runner) query(ctx context.Context, c *session, rec *record, text string) verdict {
	rows, types, err := fetch(ctx, c, text)
	if err != nil {
		return wrong("the query failed", "+ "+err.Error())
	}
	if rec.types != "?" && len(rec.types) != len(types) {
		return wrong(fmt.Sprintf("%d columns, want %d", len(types), len(rec.types)))
	}
	got := render(rows, rec.sort)
	if r.opt.Fill && rec.fill {
		f := fillIn{types: rec.types, rows: got}
		if f.types == "?" {
			f.types = types
		}
		r.fills[rec.line] = f
		return right
	}
	if rec.label != "" {
		if first, seen := r.labels[rec.label]; !seen {
			r.labels[rec.label] = got
		} else if !sameRows(first, got, rec.types, rec.sort) {
			return wrong("other rows than the earlier query with label "+rec.label, diffRows(first, got)...)
		}
	}
	want := rec.want
	if rec.sort != "nosort" {
		want = slices.Sorted(slices.Values(want))
	}
	if !sameRows(want, got, rec.types, rec.sort) {
		return wrong(fmt.Sprintf("other rows: want %d, got %d", len(want), len(got)), diffRows(want, got)...)
	}
	return right
}
