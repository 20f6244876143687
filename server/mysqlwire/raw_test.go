package mysqlwire

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// rawClient writes packets byte by byte.
type rawClient struct {
	net.Conn
	t testing.TB
}

func dial(t testing.TB, addr string) *rawClient {
	t.Helper()
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(10 * time.Second))
	return &rawClient{Conn: nc, t: t}
}

// packet frames a payload.
func packet(seq byte, payload ...byte) []byte {
	n := len(payload)
	return append([]byte{byte(n), byte(n >> 8), byte(n >> 16), seq}, payload...)
}

func (c *rawClient) send(seq, command byte, body string) {
	c.t.Helper()
	if _, err := c.Write(packet(seq, append([]byte{command}, body...)...)); err != nil {
		c.t.Fatal(err)
	}
}

// recv returns the payload of the next packet, nil when the server has closed.
func (c *rawClient) recv() []byte {
	c.t.Helper()
	var h [4]byte
	if _, err := io.ReadFull(c, h[:]); err != nil {
		return nil
	}
	b := make([]byte, int(h[0])|int(h[1])<<8|int(h[2])<<16)
	if _, err := io.ReadFull(c, b); err != nil {
		c.t.Fatal(err)
	}
	return b
}

// loginPacket is a HandshakeResponse41.
func loginPacket(caps uint32, user string, rest ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, caps)
	b = append(b, make([]byte, 4+1+23)...)
	b = append(append(b, user...), 0)
	return append(append(b, 0), rest...)
}

const plainCaps = mysql.CLIENT_PROTOCOL_41 | mysql.CLIENT_SECURE_CONNECTION

func (c *rawClient) login(user, _ string) {
	c.t.Helper()
	if b := c.recv(); len(b) == 0 || b[0] != 10 {
		c.t.Fatalf("greeting %x", b)
	}
	c.Write(packet(1, loginPacket(plainCaps, user)...))
	if b := c.recv(); len(b) == 0 || b[0] != 0 {
		c.t.Fatalf("login answers %q", b)
	}
}

// errorCode of an error packet, 0 for another one.
func errorCode(b []byte) int {
	if len(b) < 3 || b[0] != 0xff {
		return 0
	}
	return int(b[1]) | int(b[2])<<8
}

// rows reads a result without DEPRECATE_EOF and returns its row packets.
func (c *rawClient) rows() [][]byte {
	c.t.Helper()
	n := c.recv()
	if len(n) != 1 {
		c.t.Fatalf("not a result: %q", n)
	}
	for range int(n[0]) + 1 {
		c.recv()
	}
	var rows [][]byte
	for {
		b := c.recv()
		if b == nil || b[0] == 0xfe && len(b) < 9 {
			return rows
		}
		rows = append(rows, b)
	}
}

// prepare returns the id of a statement with n parameters that gives n columns.
func (c *rawClient) prepare(text string, n int) []byte {
	c.t.Helper()
	c.send(0, mysql.COM_STMT_PREPARE, text)
	b := c.recv()
	if len(b) != 12 || b[0] != 0 {
		c.t.Fatalf("PREPARE answers %x, want 12 bytes", b)
	}
	for range 2 * (n + 1) {
		c.recv()
	}
	return b[1:5]
}

// A client sends the types of parameters with the first execution only.
func TestExecuteKeepsTypes(t *testing.T) {
	_, _, addr := start(t, Options{})
	c := dial(t, addr)
	c.login("root", "")
	id := string(c.prepare("echo ?", 1))
	exec := func(rest ...byte) []byte {
		c.send(0, mysql.COM_STMT_EXECUTE, id+"\x00\x01\x00\x00\x00"+string(rest))
		r := c.rows()
		if len(r) != 1 {
			t.Fatalf("%d rows", len(r))
		}
		return r[0]
	}
	want := func(got []byte, v byte) {
		t.Helper()
		if !bytes.Equal(got, []byte{0, 0, v, 0, 0, 0, 0, 0, 0, 0}) {
			t.Errorf("row %x, want the value %d", got, v)
		}
	}
	want(exec(0, 1, mysql.MYSQL_TYPE_LONG, 0, 5, 0, 0, 0), 5)
	want(exec(0, 0, 6, 0, 0, 0), 6)
	if got := exec(1, 0); !bytes.Equal(got, []byte{0, 4}) {
		t.Errorf("NULL gives %x", got)
	}
	want(exec(0, 0, 7, 0, 0, 0), 7)
}

func TestLongData(t *testing.T) {
	_, _, addr := start(t, Options{})
	c := dial(t, addr)
	c.login("root", "")
	id := string(c.prepare("echo ? ?", 2))
	for _, piece := range []string{"ab", "cd"} {
		c.send(0, mysql.COM_STMT_SEND_LONG_DATA, id+"\x00\x00"+piece)
	}
	exec := id + "\x00\x01\x00\x00\x00\x00\x01" + string([]byte{mysql.MYSQL_TYPE_STRING, 0, mysql.MYSQL_TYPE_STRING, 0}) + "\x01z"
	c.send(0, mysql.COM_STMT_EXECUTE, exec)
	if r := c.rows(); len(r) != 1 || string(r[0]) != "\x00\x00\x04abcd\x01z" {
		t.Errorf("rows %q", r)
	}
	// The pieces were for one execution: now the first value is in the packet.
	c.send(0, mysql.COM_STMT_EXECUTE, id+"\x00\x01\x00\x00\x00\x00\x00\x01x\x01y")
	if r := c.rows(); len(r) != 1 || string(r[0]) != "\x00\x00\x01x\x01y" {
		t.Errorf("rows %q", r)
	}
	c.send(0, mysql.COM_STMT_SEND_LONG_DATA, id+"\x09\x00zz") // no such parameter
	c.send(0, mysql.COM_STMT_EXECUTE, exec)
	if got := errorCode(c.recv()); got != 1210 {
		t.Errorf("error %d", got)
	}
}

// Every packet that is cut short or absurd answers an error or ends the
// connection; the server lives on.
func TestMalformed(t *testing.T) {
	_, _, addr := start(t, Options{})
	attrs := uint32(plainCaps | mysql.CLIENT_PLUGIN_AUTH | mysql.CLIENT_CONNECT_ATTRS | mysql.CLIENT_CONNECT_WITH_DB)
	for name, login := range map[string][]byte{
		"nothing":        {},
		"short":          {1, 2, 3},
		"no protocol 41": loginPacket(mysql.CLIENT_SECURE_CONNECTION, "root"),
		"attributes cut": loginPacket(attrs, "root", 'd', 0, 'p', 0, 0x20, 3, 'a'),
		"attributes odd": loginPacket(attrs, "root", 'd', 0, 'p', 0, 2, 0xfe, 1),
		"reply cut":      loginPacket(plainCaps, "root")[:36],
	} {
		c := dial(t, addr)
		c.recv()
		c.Write(packet(1, login...))
		if b := c.recv(); errorCode(b) != 1043 {
			t.Errorf("login %s: %q", name, b)
		}
	}
	c := dial(t, addr)
	c.login("root", "")
	for _, p := range [][]byte{
		{}, {mysql.COM_FIELD_LIST}, {mysql.COM_PROCESS_KILL, 1}, {mysql.COM_STMT_EXECUTE}, {mysql.COM_STMT_EXECUTE, 1},
		{mysql.COM_STMT_RESET, 9}, {mysql.COM_STMT_FETCH}, {mysql.COM_SET_OPTION, 7}, {mysql.COM_DEBUG}, {0xfe},
		append([]byte{mysql.COM_STMT_EXECUTE}, string(c.prepare("echo ?", 1))+"\x00\x01\x00\x00\x00\x00\x01\xfd"...),
	} {
		c.Write(packet(0, p...))
		if b := c.recv(); errorCode(b) == 0 {
			t.Errorf("command %x: %q", p, b)
		}
	}
	c.send(0, mysql.COM_PING, "")
	if b := c.recv(); len(b) == 0 || b[0] != 0 {
		t.Errorf("ping answers %q", b)
	}
	c.send(3, mysql.COM_PING, "")
	if b := c.recv(); errorCode(b) != 1156 {
		t.Errorf("a wrong packet number answers %q", b)
	}
}

// A client that is not logged in cannot make the server take much memory.
func TestPacketLimitBeforeLogin(t *testing.T) {
	_, _, addr := start(t, Options{})
	c := dial(t, addr)
	c.recv()
	c.Write([]byte{0xff, 0xff, 0xff, 1}) // 16 MB are announced
	if b := c.recv(); errorCode(b) != 1153 {
		t.Errorf("answer %q", b)
	}
}

func TestLoginTimeout(t *testing.T) {
	_, _, addr := start(t, Options{LoginTimeout: 50 * time.Millisecond})
	c := dial(t, addr)
	c.recv()
	if b := c.recv(); b != nil {
		t.Errorf("a silent client gets %q", b)
	}
}

// A packet of exactly the frame size, and one above, take several frames both ways.
func TestLargePackets(t *testing.T) {
	_, _, addr := start(t, Options{})
	db := open(t, "root@tcp("+addr+")/?maxAllowedPacket=67108864")
	for _, n := range []int{maxFrame - 200, maxFrame + 5, 2*maxFrame + 1} {
		var got string
		if err := db.QueryRow("echo ?", strings.Repeat("y", n)).Scan(&got); err != nil || len(got) != n {
			t.Errorf("%d bytes: got %d, %v", n, len(got), err)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, n := range []int{0, maxFrame - 1, maxFrame, maxFrame + 1, 2 * maxFrame} {
		var sent bytes.Buffer
		p := &packets{conn: writeConn{w: &sent}, limit: 1 << 30}
		p.begin()
		p.out = append(p.out, make([]byte, n)...)
		p.end()
		if err := p.flush(); err != nil {
			t.Fatal(err)
		}
		in := &packets{conn: writeConn{r: &sent}, in: &sent, limit: 1 << 30}
		if b, err := in.read(); err != nil || len(b) != n {
			t.Errorf("%d bytes: %d, %v", n, len(b), err)
		}
	}
}

// writeConn is a connection of which only Read and Write are used.
type writeConn struct {
	net.Conn
	w io.Writer
	r io.Reader
}

func (c writeConn) Write(b []byte) (int, error)      { return c.w.Write(b) }
func (c writeConn) Read(b []byte) (int, error)       { return c.r.Read(b) }
func (c writeConn) SetWriteDeadline(time.Time) error { return nil }

// A client that does not read holds back its query, and is dropped after
// net_write_timeout.
func TestSlowClient(t *testing.T) {
	_, b, addr := start(t, Options{})
	b.maxWrite = 100 * time.Millisecond
	c := dial(t, addr)
	c.login("root", "")
	c.send(0, mysql.COM_QUERY, "rows 40960000")
	deadline := time.Now().Add(5 * time.Second)
	for {
		b.mu.Lock()
		n := len(b.sessions)
		b.mu.Unlock()
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the client still holds its session")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestShutdownEndsStatements(t *testing.T) {
	s, _, addr := start(t, Options{})
	c, idle := dial(t, addr), dial(t, addr)
	c.login("root", "")
	idle.login("root", "")
	c.send(0, mysql.COM_QUERY, "wait")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if got := errorCode(c.recv()); got != 1053 {
		t.Errorf("the running statement ends with %d", got)
	}
	if got := errorCode(idle.recv()); got != 1053 {
		t.Errorf("the idle client is told %d", got)
	}
	if nc, err := net.Dial("tcp", addr); err == nil {
		nc.Close()
		t.Error("the server still accepts")
	}
}

func TestChangeUserAndReset(t *testing.T) {
	_, _, addr := start(t, Options{Accounts: users(t)})
	c := dial(t, addr)
	c.login("root", "")
	id := c.prepare("echo ?", 1)
	c.send(0, mysql.COM_RESET_CONNECTION, "")
	c.recv()
	c.send(0, mysql.COM_STMT_RESET, string(id))
	if got := errorCode(c.recv()); got != 1243 {
		t.Errorf("a reset connection answers %d for a statement of before", got)
	}
	c.send(0, mysql.COM_CHANGE_USER, "root\x00\x00shop\x00\xff\x00")
	if b := c.recv(); len(b) == 0 || b[0] != 0 {
		t.Fatalf("change user: %q", b)
	}
	c.send(0, mysql.COM_QUERY, "db")
	if r := c.rows(); len(r) != 1 || string(r[0]) != "\x04shop" {
		t.Errorf("database %q", r)
	}
	c.send(0, mysql.COM_CHANGE_USER, "old\x00\x00shop\x00\xff\x00")
	if got := errorCode(c.recv()); got != 1045 {
		t.Errorf("wrong password answers %d", got)
	}
	if b := c.recv(); b != nil {
		t.Errorf("the connection goes on: %q", b)
	}
}
