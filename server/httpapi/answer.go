package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"

	"streamsql/server/session"
	"streamsql/sql/ingest"
	"streamsql/sql/sqlerr"
)

// answer is the body of every answer.
type answer struct {
	Rows      int        `json:"rows"`                // stored
	Rejected  int        `json:"rejected,omitempty"`  // wrong
	Duplicate bool       `json:"duplicate,omitempty"` // the batch was stored before
	Position  uint64     `json:"position,omitempty"`  // in the commit log
	Error     *problem   `json:"error,omitempty"`     // why nothing was stored
	Errors    []rowError `json:"errors,omitempty"`    // of the first rows that are wrong
}

// problem is an error as a MySQL client sees it.
type problem struct {
	Code    uint16 `json:"code"`
	State   string `json:"sqlstate"`
	Message string `json:"message"`
}

type rowError struct {
	Row     int    `json:"row"` // from 1
	Column  string `json:"column,omitempty"`
	Code    uint16 `json:"code"`
	State   string `json:"sqlstate"`
	Message string `json:"message"`
}

func problemOf(e *sqlerr.Error) *problem { return &problem{e.Code, e.State, e.Message} }

func send(w http.ResponseWriter, status int, a answer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a) // the client is gone, if it fails
}

func fail(w http.ResponseWriter, status int, e *sqlerr.Error) {
	send(w, status, answer{Error: problemOf(e)})
}

// refuse is fail for what is wrong with the request rather than with its rows.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	fail(w, status, sqlerr.New(sqlerr.UnknownError, "%s", fmt.Sprintf(format, args...)))
}

// refusal is an error with its status.
type refusal struct {
	status int
	err    *sqlerr.Error
}

// Error is the text.
func (r *refusal) Error() string { return r.err.Message }

func refused(status int, format string, args ...any) *refusal {
	return &refusal{status, sqlerr.New(sqlerr.UnknownError, format, args...)}
}

// loaded answers what came of the rows.
func loaded(w http.ResponseWriter, l session.Loaded) {
	a := answer{Rows: l.Rows, Rejected: l.Rejected, Duplicate: l.Duplicate, Position: uint64(l.Position)}
	for _, e := range l.Errors {
		a.Errors = append(a.Errors, rowError{e.Row, e.Column, e.Err.Code, e.Err.State, e.Err.Message})
	}
	status := http.StatusOK
	if l.Rejected > 0 && l.Position == 0 && l.Rows == 0 {
		status = http.StatusUnprocessableEntity
		a.Error = problemOf(sqlerr.New(l.Errors[0].Err.Code, "%s", summary(l)))
	}
	send(w, status, a)
}

func summary(l session.Loaded) string {
	return fmt.Sprintf("No row was stored; %s", first(l.Errors))
}

func first(errs []ingest.RowError) string { return errs[0].Error() }

// statuses are the HTTP statuses of errors.
var statuses = map[uint16]int{
	sqlerr.AccessDenied: http.StatusUnauthorized, sqlerr.DBAccessDenied: http.StatusForbidden, sqlerr.TableAccessDenied: http.StatusForbidden,
	sqlerr.NoSuchTable: http.StatusNotFound, sqlerr.BadDB: http.StatusNotFound,
	sqlerr.DupEntry: http.StatusConflict, sqlerr.LockDeadlock: http.StatusConflict,
	sqlerr.WrongArguments: http.StatusConflict, // a batch out of turn
	sqlerr.DiskFull:       http.StatusInsufficientStorage, sqlerr.ServerShutdown: http.StatusServiceUnavailable,
	sqlerr.OutOfResources: http.StatusServiceUnavailable, sqlerr.QueryInterrupted: http.StatusServiceUnavailable,
}

// failed answers an error.
func failed(w http.ResponseWriter, err error) {
	if r, ok := err.(*refusal); ok {
		if r.status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
		}
		fail(w, r.status, r.err)
		return
	}
	e := sqlerr.From(err)
	status, ok := statuses[e.Code]
	if !ok {
		status = http.StatusBadRequest
	}
	fail(w, status, e)
}
