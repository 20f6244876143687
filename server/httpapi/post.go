package httpapi

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"streamsql/server/session"
	"streamsql/sql/ingest"
)

// errBusy ends the wait for room.
var errBusy = errors.New("no room")

// decoder reads a body into rows.
type decoder func(data []byte, rows *ingest.Rows) error

// post stores the rows of a request.
func (v *Server) post(w http.ResponseWriter, r *http.Request) {
	l, err := v.take(w, r)
	if err != nil {
		failed(w, err)
		return
	}
	loaded(w, l)
}

func (v *Server) take(w http.ResponseWriter, r *http.Request) (session.Loaded, error) {
	decode, skip, err := asked(r)
	if err != nil {
		return session.Loaded{}, err
	}
	writer, number, err := batchKey(r)
	if err != nil {
		return session.Loaded{}, err
	}
	s, ctx, err := v.open(r)
	if err != nil {
		return session.Loaded{}, err
	}
	defer s.Close()
	if err := v.admit(ctx); err != nil { // before the body: it is not sent in vain
		return session.Loaded{}, err
	}
	b, err := v.read(w, r)
	if err != nil {
		return session.Loaded{}, err
	}
	defer b.release()
	out, err := s.Ingest(ctx, session.Load{
		Text: r.Method + " " + r.URL.Path, Table: r.PathValue("stream"), Skip: skip, Writer: writer, Number: number,
		Decode: func(rows *ingest.Rows) error { return decode(b.bytes, rows) },
	})
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	return out, err
}

// open begins a session for a request; KILL ends its context.
func (v *Server) open(r *http.Request) (*session.Session, context.Context, error) {
	client := r.Context().Value(clientKey{}).(session.Client)
	client.DB = r.PathValue("database")
	ctx, cancel := context.WithCancelCause(r.Context())
	client.Hangup = func() { cancel(context.Canceled) }
	s, err := v.sessions.Open(ctx, client)
	if err != nil {
		cancel(nil)
	}
	return s, ctx, err
}

// admit waits a while for room in the engine.
func (v *Server) admit(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, v.options.Wait, errBusy)
	defer cancel()
	err := v.sessions.Admit(ctx)
	if errors.Is(err, errBusy) {
		return refused(http.StatusTooManyRequests, "The server is behind with the rows that it has; try again")
	}
	return err
}

// asked is what the headers and the query of a request ask for.
func asked(r *http.Request) (d decoder, skip bool, err error) {
	mediaType, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, false, refused(http.StatusUnsupportedMediaType, "A Content-Type is wanted: %s", strings.Join(mediaTypes(), ", "))
	}
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, false, refused(http.StatusBadRequest, "The query of the path cannot be read: %v", err)
	}
	o := options{values: values, params: params}
	format, ok := formats[mediaType]
	if !ok {
		return nil, false, refused(http.StatusUnsupportedMediaType, "Content-Type '%.64s' is not known; these are: %s", mediaType, strings.Join(mediaTypes(), ", "))
	}
	skip = o.choice("on_error", "fail", "skip") == "skip"
	d = format(&o)
	return d, skip, o.done()
}
