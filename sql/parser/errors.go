package parser

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	pingcap "github.com/pingcap/errors"
	"github.com/pingcap/tidb/pkg/parser/terror"

	"streamsql/sql/sqlerr"
)

const (
	syntaxIntro = "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use"
	nearLength  = 80 // bytes of the text that an error shows
)

// errorAt is error 1064 at a byte of the text as typed: what, then the text
// that begins there, then where that is.
func errorAt(text string, offset int, what string) error {
	near := text[offset:]
	if len(near) > nearLength {
		n := nearLength
		for n > 0 && !utf8.RuneStart(near[n]) {
			n--
		}
		near = near[:n]
	}
	return sqlerr.New(sqlerr.ParseError, "%s near '%s' %s", what, strings.ToValidUTF8(near, "?"), place(text, offset))
}

// syntaxError is MySQL's complaint about the text that begins at offset.
func syntaxError(text string, offset int) error { return errorAt(text, offset, syntaxIntro) }

// ParameterError is MySQL's complaint about a `?` in a statement that was not
// prepared.
func (s *Statement) ParameterError() error { return syntaxError(s.Text, s.Params[0].Offset) }

// place gives line and column (in characters) of a byte, both from 1.
func place(text string, offset int) string {
	before := text[:offset]
	line := strings.Count(before, "\n") + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("at line %d column %d", line, column)
}

// fromTiDB turns an error of TiDB's parser over sent, a text of the same
// length as the text as typed, into ours.
func fromTiDB(text, sent string, err error) error {
	err = pingcap.Cause(err)
	var coded *terror.Error
	if errors.As(err, &coded) {
		e := terror.ToSQLError(coded)
		if e.Code != sqlerr.ParseError {
			return &sqlerr.Error{Code: e.Code, State: e.State, Message: e.Message}
		}
	}
	message := err.Error()
	offset, rest, ok := nearOffset(sent, message)
	if !ok {
		return sqlerr.New(sqlerr.ParseError, "%s: %s", syntaxIntro, message)
	}
	if rest != "" { // the lexer's own complaint about a literal
		return errorAt(text, offset, strings.ToUpper(rest[:1])+rest[1:])
	}
	return syntaxError(text, offset)
}

// nearOffset finds the byte that a message of TiDB's parser points at. The
// message is `line L column C near "REST"EXPLANATION `, REST being the text
// from that byte on, cut at 2048 bytes, in which case `(total length N)`
// follows.
func nearOffset(sent, message string) (offset int, explanation string, ok bool) {
	const mark = ` near "`
	i := strings.Index(message, mark)
	if i < 0 || !strings.HasPrefix(message, "line ") {
		return 0, "", false
	}
	body := message[i+len(mark):]
	const total = "(total length "
	if j := strings.LastIndex(body, total); j >= 0 && len(body) > 2048 {
		if n, err := strconv.Atoi(strings.TrimSuffix(body[j+len(total):], ")")); err == nil && n <= len(sent) {
			return len(sent) - n, strings.TrimSpace(body[min(2049, j):j]), true
		}
	}
	for j := len(body); ; {
		if j = strings.LastIndexByte(body[:j], '"'); j < 0 {
			return 0, "", false
		}
		if strings.HasSuffix(sent, body[:j]) {
			return len(sent) - j, strings.TrimSpace(body[j+1:]), true
		}
	}
}

// warning turns a warning of TiDB's parser, mostly about an optimizer hint,
// into ours: 1064, as MySQL's are.
func warning(err error) *sqlerr.Error {
	err = pingcap.Cause(err)
	message := err.Error()
	var coded *terror.Error
	if errors.As(err, &coded) {
		message = coded.GetMsg()
	}
	return sqlerr.New(sqlerr.ParseError, "%s", strings.ReplaceAll(message, "TiDB", "StreamSQL"))
}
