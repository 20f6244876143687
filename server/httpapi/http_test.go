package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/cockroachdb/datadriven"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"streamsql/engine"
	"streamsql/server/auth"
	"streamsql/server/httpapi"
	"streamsql/server/session"
	"streamsql/sql/sqlerr"
)

// world is a server with an engine, behind HTTP and behind a session.
type world struct {
	t    testing.TB
	http *httptest.Server
	sql  *session.Session
}

func newWorld(t testing.TB, o httpapi.Options) *world {
	e, err := engine.Open(engine.Config{Dir: t.TempDir(), Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	sessions := session.NewServer(e, session.Options{Version: "8.0.36-test"})
	o.Accounts = auth.Static{
		"root": {User: "root", Host: "%", Plugin: auth.Native},
		"ann":  {User: "ann", Host: "%", Plugin: auth.Native, Hash: auth.NewNative("secret")},
	}
	api := httpapi.New(sessions, o)
	w := &world{t: t, http: httptest.NewServer(api.Handler())}
	if w.sql, err = sessions.Open(context.Background(), session.Client{ID: 1, User: "root", Host: "localhost"}); err != nil {
		t.Fatal(err)
	}
	w.query("CREATE DATABASE moment; CREATE STREAM TABLE moment.now (n INT)")
	t.Cleanup(func() {
		w.sql.Close()
		w.http.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// query runs statements and prints what they give. A SELECT sees all that was
// answered before, as it sees the session's own writes.
func (w *world) query(text string) string {
	if strings.HasPrefix(text, "SELECT") {
		w.query("INSERT INTO moment.now VALUES (1)")
	}
	var b strings.Builder
	err := w.sql.Query(context.Background(), text, true, func(ctx context.Context, r *session.Result, _ bool) error {
		if r.Rows == nil {
			return nil
		}
		for {
			c, err := r.Rows.Next(ctx)
			if err != nil || c == nil {
				return err
			}
			for i := range c.N {
				for k := range r.Rows.Fields() {
					if k > 0 {
						b.WriteByte(' ')
					}
					if c.Cols[k].IsNull(i) {
						b.WriteString("NULL")
					} else {
						b.Write(c.Cols[k].AppendText(nil, i, nil))
					}
				}
				b.WriteByte('\n')
			}
		}
	})
	var e *sqlerr.Error
	if errors.As(err, &e) {
		fmt.Fprintf(&b, "ERROR %d (%s): %s\n", e.Code, e.State, e.Message)
	} else if err != nil {
		w.t.Fatal(err)
	}
	return b.String()
}

func packed(coding, body string) io.Reader {
	var b bytes.Buffer
	var z io.WriteCloser
	switch coding {
	case "gzip":
		z = gzip.NewWriter(&b)
	case "zstd":
		z, _ = zstd.NewWriter(&b)
	default:
		return strings.NewReader(body)
	}
	io.WriteString(z, body)
	z.Close()
	return &b
}

var position = regexp.MustCompile(`"position":\d+`)

// request sends what a test says: post PATH [type=…] [user=name:password] [header=(Name: value)] [pack=gzip].
func (w *world) request(d *datadriven.TestData) string {
	body := strings.NewReplacer(`\x`, "\xff").Replace(d.Input)
	var args struct{ kind, user, pack, method string }
	args.kind, args.user, args.method = "application/x-ndjson", "root:", strings.ToUpper(d.Cmd)
	d.MaybeScanArgs(w.t, "type", &args.kind)
	d.MaybeScanArgs(w.t, "user", &args.user)
	d.MaybeScanArgs(w.t, "pack", &args.pack)
	d.MaybeScanArgs(w.t, "method", &args.method)
	r, err := http.NewRequest(args.method, w.http.URL+d.CmdArgs[0].String(), packed(args.pack, body))
	if err != nil {
		w.t.Fatal(err)
	}
	if name, password, ok := strings.Cut(args.user, ":"); ok {
		r.SetBasicAuth(name, password)
	}
	if args.kind != "none" {
		r.Header.Set("Content-Type", strings.ReplaceAll(args.kind, ";", "; "))
	}
	if args.pack != "" {
		r.Header.Set("Content-Encoding", args.pack)
	}
	for _, a := range d.CmdArgs[1:] {
		if a.Key == "header" {
			r.Header.Set(a.Vals[0], strings.Join(a.Vals[1:], ","))
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	out := strings.NewReplacer(`,"errors":[`, ",\n \"errors\":[\n  ", `},{`, "},\n  {").Replace(string(text))
	return fmt.Sprintf("%d %s", resp.StatusCode, position.ReplaceAllString(out, `"position":…`))
}

// TestScripts runs testdata: sql, and requests with their answers.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		w := newWorld(t, httpapi.Options{MaxBody: 4096})
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			w.t = t
			if d.Cmd == "sql" {
				return w.query(d.Input)
			}
			return w.request(d)
		})
	})
}

// TestArrow sends a stream of Arrow, and one that is damaged.
func TestArrow(t *testing.T) {
	w := newWorld(t, httpapi.Options{})
	w.query("CREATE DATABASE shop; USE shop; CREATE STREAM TABLE bids (auction BIGINT NOT NULL, channel VARCHAR(20) DEFAULT 'web')")
	schema := arrow.NewSchema([]arrow.Field{{Name: "Auction", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues([]int64{1, 2, 3}, nil)
	var stream bytes.Buffer
	out := ipc.NewWriter(&stream, ipc.WithSchema(schema))
	if err := out.Write(b.NewRecordBatch()); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	send := func(body []byte) (int, string) {
		r, err := http.NewRequest("POST", w.http.URL+"/v1/databases/shop/streams/bids", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth("root", "")
		r.Header.Set("Content-Type", "application/vnd.apache.arrow.stream")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	if status, text := send(stream.Bytes()); status != 200 || !strings.Contains(text, `"rows":3`) {
		t.Errorf("%d %s", status, text)
	}
	damaged := bytes.Clone(stream.Bytes())
	damaged[5] ^= 0xff // the length of the schema
	if status, text := send(damaged); status != 400 || !strings.Contains(text, "malformed Arrow stream") {
		t.Errorf("%d %s", status, text)
	}
	if got := w.query("SELECT * FROM bids"); got != "1 web\n2 web\n3 web\n" {
		t.Errorf("the stream holds\n%s", got)
	}
}
