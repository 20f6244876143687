package topic

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// MaxPayload is the largest message in bytes.
const MaxPayload = 8 << 20

// publishDeadline bounds the wait for a publish: on a full disk the server
// just does not answer.
const publishDeadline = 10 * time.Second

// Server is an embedded JetStream server and a connection to it inside the
// process. It listens on no port.
type Server struct {
	ns  *server.Server
	nc  *nats.Conn
	js  jetstream.JetStream
	dir string

	mu    sync.Mutex
	marks map[string]*mark
}

// Open starts a server on the files under dir, which is made if missing. One
// process at a time: the caller holds a lock on the data directory.
func Open(dir string) (*Server, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ns, err := server.NewServer(&server.Options{
		ServerName:      "streamsql",
		DontListen:      true, // in-process connections only; no websocket, MQTT, leaf nodes, monitoring
		JetStream:       true,
		StoreDir:        dir,
		SyncAlways:      true, // an acknowledgement means fsync
		MaxPayload:      MaxPayload,
		MaxPending:      64 << 20,
		NoSigs:          true,
		NoSystemAccount: true,
	})
	if err != nil {
		return nil, fmt.Errorf("log server in %s: %w", dir, err)
	}
	ns.SetLoggerV2(&natsLogger{}, false, false, false)
	go ns.Start()
	s := &Server{ns: ns, dir: dir, marks: map[string]*mark{}}
	if !ns.ReadyForConnections(30*time.Second) || !ns.JetStreamEnabled() {
		s.Close()
		return nil, fmt.Errorf("log server in %s did not start", dir)
	}
	s.nc, err = nats.Connect("", nats.InProcessServer(ns), nats.Name("streamsql"),
		nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("log server in %s: %w", dir, err)
	}
	if s.js, err = jetstream.New(s.nc); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Close stops the server. What was acknowledged is on disk already.
func (s *Server) Close() error {
	if s.nc != nil {
		s.nc.Close()
	}
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, m := range s.marks {
		err = errors.Join(err, m.close())
	}
	s.marks = nil
	return err
}

// Dir returns the directory of the files.
func (s *Server) Dir() string { return s.dir }

// Stream opens the stream called name (letters, digits, - and _) and makes it
// if missing.
func (s *Server) Stream(ctx context.Context, name string) (Stream, error) {
	st, err := s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name:        name,
		Subjects:    []string{"log." + name},
		Storage:     jetstream.FileStorage,
		Retention:   jetstream.LimitsPolicy,
		Discard:     jetstream.DiscardNew,
		AllowDirect: true,
		Duplicates:  time.Second, // unused: the expected last sequence fences
	})
	if err != nil {
		return nil, fmt.Errorf("open log %s: %w", name, err)
	}
	mark, err := s.markOf(name)
	if err != nil {
		return nil, fmt.Errorf("open log %s: %w", name, err)
	}
	return &natsStream{name: name, subject: "log." + name, nc: s.nc, js: s.js, st: st, mark: mark}, nil
}

// markOf returns the mark of a stream, the same for all who open it.
func (s *Server) markOf(name string) (*mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.marks[name]; m != nil {
		return m, nil
	}
	m, err := openMark(filepath.Join(s.dir, "marks", name+".mark"))
	if err == nil {
		s.marks[name] = m
	}
	return m, err
}

// DropStream removes a stream and its files; one that is not there is no error.
func (s *Server) DropStream(ctx context.Context, name string) error {
	err := s.js.DeleteStream(ctx, name)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("drop log %s: %w", name, err)
	}
	m, err := s.markOf(name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.marks, name)
	return m.remove()
}

// natsLogger passes the server's warnings and errors on to slog.
type natsLogger struct{}

func (*natsLogger) Noticef(string, ...any) {}
func (*natsLogger) Debugf(string, ...any)  {}
func (*natsLogger) Tracef(string, ...any)  {}
func (*natsLogger) Warnf(f string, a ...any) {
	slog.Warn("log server", "message", fmt.Sprintf(f, a...))
}
func (*natsLogger) Errorf(f string, a ...any) {
	slog.Error("log server", "message", fmt.Sprintf(f, a...))
}
func (*natsLogger) Fatalf(f string, a ...any) {
	slog.Error("log server", "message", fmt.Sprintf(f, a...))
}
