package mysqlwire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"streamsql/operators/batch"
	"streamsql/planner/physical"
	"streamsql/server/auth"
	"streamsql/server/session"
	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// fakeBackend answers a few fixed texts (see fakeSession.run).
type fakeBackend struct {
	mu       sync.Mutex
	sessions map[uint32]*fakeSession
	maxWrite time.Duration
}

func (b *fakeBackend) Statistics() string { return "Uptime: 1" }

func (b *fakeBackend) Open(_ context.Context, c session.Client) (Session, error) {
	if c.DB == "nowhere" {
		return nil, sqlerr.New(sqlerr.BadDB, "Unknown database '%s'", c.DB)
	}
	s := &fakeSession{backend: b, client: c, db: c.DB}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.sessions == nil {
		b.sessions = map[uint32]*fakeSession{}
	}
	b.sessions[c.ID] = s
	return s, nil
}

type fakeSession struct {
	backend *fakeBackend
	client  session.Client
	db      string
	mu      sync.Mutex
	cancel  context.CancelCauseFunc
	ended   chan error // of the last "wait"
}

func (s *fakeSession) Close() {
	s.backend.mu.Lock()
	defer s.backend.mu.Unlock()
	if s.backend.sessions[s.client.ID] == s {
		delete(s.backend.sessions, s.client.ID)
	}
}

func (s *fakeSession) State() session.State {
	return session.State{Autocommit: true, MaxPacket: 64 << 20, IdleTimeout: time.Minute, WriteTimeout: s.backend.maxWrite}
}

func (s *fakeSession) Reset() { s.db = "" }

func (s *fakeSession) Use(_ context.Context, db string) error { s.db = db; return nil }

func (s *fakeSession) Columns(_ context.Context, table string) ([]physical.Field, error) {
	if table != "t" {
		return nil, sqlerr.New(sqlerr.NoSuchTable, "Table '%s.%s' doesn't exist", s.db, table)
	}
	return []physical.Field{{Name: "id", Type: types.MakeBigInt()}}, nil
}

func (s *fakeSession) Kill(id uint64, query bool) error {
	s.backend.mu.Lock()
	t := s.backend.sessions[uint32(id)]
	s.backend.mu.Unlock()
	if t == nil {
		return sqlerr.New(sqlerr.NoSuchThread, "Unknown thread id: %d", id)
	}
	if !query {
		t.client.Hangup()
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cancel != nil {
		t.cancel(sqlerr.New(sqlerr.QueryInterrupted, "Query execution was interrupted"))
	}
	return nil
}

func (s *fakeSession) Query(ctx context.Context, text string, multi bool, emit session.Emit) error {
	parts := []string{text}
	if multi {
		parts = strings.Split(text, ";")
	}
	for i, p := range parts {
		if err := s.run(ctx, strings.TrimSpace(p), nil, i+1 < len(parts), emit); err != nil {
			return err
		}
	}
	return nil
}

func (s *fakeSession) Prepare(_ context.Context, text string) (*session.Prepared, error) {
	p := &session.Prepared{Text: text}
	for range strings.Count(text, "?") {
		p.Params = append(p.Params, types.MakeVarChar(1))
		p.Fields = append(p.Fields, physical.Field{Name: "?", Type: types.MakeVarChar(1)})
	}
	return p, nil
}

func (s *fakeSession) Execute(ctx context.Context, p *session.Prepared, params []session.Param, emit session.Emit) error {
	return s.run(ctx, p.Text, params, false, emit)
}

// run: "db" the current database, "echo …" the parameters, "rows n" n rows,
// "wait" until killed, "panic", "fail" an error after 3 rows, else OK.
func (s *fakeSession) run(ctx context.Context, text string, params []session.Param, more bool, emit session.Emit) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	word, arg, _ := strings.Cut(text, " ")
	switch word {
	case "db":
		c := batch.New([]types.Type{types.MakeVarChar(64)}, 1)
		c.Cols[0].AppendString(s.db)
		c.PushWeight(1)
		return emit(ctx, &session.Result{Rows: &fakeRows{fields: []physical.Field{{Name: "db", Type: types.MakeVarChar(64)}}, chunk: c, times: 1}}, more)
	case "echo":
		return emit(ctx, &session.Result{Rows: echo(params)}, more)
	case "rows":
		n := 0
		fmt.Sscan(arg, &n)
		return emit(ctx, &session.Result{Rows: orders(n)}, more)
	case "wait":
		<-ctx.Done()
		if s.ended != nil {
			s.ended <- context.Cause(ctx)
		}
		return context.Cause(ctx)
	case "panic":
		panic("at the disco")
	case "fail":
		r := orders(3)
		r.err = sqlerr.New(sqlerr.DataOutOfRange, "BIGINT value is out of range in '%s'", "x")
		return emit(ctx, &session.Result{Rows: r}, more)
	case "bad":
		return errors.New("unfit")
	}
	return emit(ctx, &session.Result{Affected: 1, Info: "Rows matched: 1  Changed: 1  Warnings: 0"}, more)
}

// fakeRows gives the same chunk several times, then err.
type fakeRows struct {
	fields []physical.Field
	chunk  *batch.Chunk
	times  int
	err    error
}

func (r *fakeRows) Fields() []physical.Field { return r.fields }
func (r *fakeRows) Close()                   {}
func (r *fakeRows) Next(ctx context.Context) (*batch.Chunk, error) {
	if r.times == 0 {
		return nil, r.err
	}
	r.times--
	return r.chunk, context.Cause(ctx)
}

// echo gives one row: the parameters.
func echo(params []session.Param) *fakeRows {
	r := &fakeRows{times: 1}
	var ts []types.Type
	for i, p := range params {
		ts = append(ts, p.Type)
		r.fields = append(r.fields, physical.Field{Name: fmt.Sprint("p", i), Type: p.Type})
	}
	r.chunk = batch.New(ts, 1)
	for i, p := range params {
		v := r.chunk.Cols[i]
		switch {
		case p.Value.Null:
			v.AppendNull()
		case p.Value.Wide != nil:
			v.AppendWide(*p.Value.Wide)
		case p.Type.Class() == types.ClassFloat:
			v.AppendFloat(p.Value.F)
		case p.Type.Class() == types.ClassBytes:
			v.AppendBytes(p.Value.S)
		default:
			v.AppendInt(p.Value.I)
		}
	}
	r.chunk.PushWeight(1)
	return r
}

// orders gives n rows (BIGINT, VARCHAR, DECIMAL(10,2), DATETIME(3)) in chunks of at most 4096.
func orders(n int) *fakeRows {
	f := []physical.Field{
		{Name: "id", Type: types.MakeBigInt()}, {Name: "customer", Type: types.MakeVarChar(20)},
		{Name: "amount", Type: types.MakeDecimal(10, 2)}, {Name: "ts", Type: types.MakeDateTime(3)},
	}
	r := &fakeRows{fields: f}
	size := min(n, 4096)
	if size == 0 {
		return r
	}
	r.times = n / size
	r.chunk = batch.New([]types.Type{f[0].Type, f[1].Type, f[2].Type, f[3].Type}, size)
	for i := range size {
		r.chunk.Cols[0].AppendInt(int64(i))
		r.chunk.Cols[1].AppendString("customer")
		r.chunk.Cols[2].AppendInt(int64(i * 7))
		r.chunk.Cols[3].AppendInt(1764547200123000 + int64(i)*1e6)
		r.chunk.PushWeight(1)
	}
	return r
}

// start runs a server over a fake backend until the test ends.
func start(t testing.TB, o Options) (*Server, *fakeBackend, string) {
	t.Helper()
	b := &fakeBackend{maxWrite: 5 * time.Second}
	o.Version = "8.0.36-StreamSQL-test"
	o.Log = slog.New(slog.DiscardHandler)
	s := New(b, o)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
	})
	return s, b, l.Addr().String()
}

// users has one user for each way to log in, all with the password "secret".
func users(t testing.TB) auth.Static {
	t.Helper()
	h, err := auth.NewSHA2("secret")
	if err != nil {
		t.Fatal(err)
	}
	a := auth.Root()
	a["old"] = &auth.Account{User: "old", Host: "%", Plugin: auth.Native, Hash: auth.NewNative("secret")}
	a["new"] = &auth.Account{User: "new", Host: "%", Plugin: auth.CachingSHA2, Hash: h}
	return a
}
