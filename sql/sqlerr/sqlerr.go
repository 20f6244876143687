// Package sqlerr is the one kind of error that reaches a client: MySQL's
// number, SQLSTATE and message. It is a leaf.
package sqlerr

import (
	"errors"
	"fmt"
)

// Error is an error as a MySQL client sees it.
type Error struct {
	Code    uint16
	State   string // five characters
	Message string
}

// Error returns the message alone, as a client prints it after code and state.
func (e *Error) Error() string { return e.Message }

// New makes an error of a code that this package knows (codes.go) and a message
// in fmt's form. A code without a known SQLSTATE gets HY000.
func New(code uint16, format string, args ...any) *Error {
	state, ok := states[code]
	if !ok {
		state = "HY000"
	}
	return &Error{Code: code, State: state, Message: fmt.Sprintf(format, args...)}
}

// Unsupported is error 1235 for a feature that is not there yet.
func Unsupported(feature string) *Error {
	return New(NotSupportedYet, "This version of StreamSQL doesn't yet support '%s'", feature)
}

// From finds the Error in err's chain; anything else becomes 1105 with its text.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return New(UnknownError, "%s", err.Error())
}
