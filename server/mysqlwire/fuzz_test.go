package mysqlwire

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// talk lets a server connection read input, and fails when it panics or goes on
// after the input has ended.
func talk(t *testing.T, s *Server, loggedIn bool, input []byte) {
	here, there := net.Pipe()
	defer here.Close()
	c := newConn(s, there, 1)
	go io.Copy(io.Discard, here)
	go func() { here.Write(input); time.Sleep(time.Millisecond); here.Close() }()
	done := make(chan any, 1)
	go func() {
		defer func() { done <- recover() }()
		defer there.Close()
		if !loggedIn {
			c.login()
			return
		}
		c.caps = capabilities
		if c.open(&login{user: "root"}) == nil {
			c.packets.buffer()
			c.commands()
		}
	}()
	select {
	case p := <-done:
		if p != nil {
			t.Fatalf("panic: %v", p)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the connection hangs")
	}
}

func FuzzHandshake(f *testing.F) {
	attrs := uint32(plainCaps | mysql.CLIENT_PLUGIN_AUTH | mysql.CLIENT_CONNECT_ATTRS | mysql.CLIENT_CONNECT_WITH_DB | mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)
	f.Add(packet(1, loginPacket(plainCaps, "root")...))
	f.Add(packet(1, loginPacket(attrs, "new", 's', 0, 'p', 0, 4, 1, 'a', 1, 'b')...))
	f.Add(append(packet(1, loginPacket(attrs, "old", 0, 'p', 0, 0)...), packet(3, make([]byte, 20)...)...))
	f.Add(packet(1, loginPacket(attrs, "root", 's', 0, 'p', 0, 0xfc, 0xff, 0xff)...))
	f.Add([]byte{0xff, 0xff, 0xff, 1, 0})
	f.Add(packet(1))
	s, _, _ := start(f, Options{Accounts: users(f)})
	f.Fuzz(func(t *testing.T, input []byte) { talk(t, s, false, input) })
}

func FuzzCommand(f *testing.F) {
	prepare := packet(0, append([]byte{mysql.COM_STMT_PREPARE}, "echo ? ? ?"...)...)
	with := func(p ...byte) []byte { return append(append([]byte(nil), prepare...), packet(0, p...)...) }
	id := []byte{1, 0, 0, 0}
	f.Add(packet(0, mysql.COM_QUERY, 'd', 'b'))
	f.Add(packet(0))
	f.Add(with(append(append([]byte{mysql.COM_STMT_EXECUTE}, id...), 0, 1, 0, 0, 0, 0, 1, 3, 0, 12, 0, 0xfd, 0, 5, 0, 0, 0, 4, 0xe8, 7, 2, 29, 1, 'x')...))
	f.Add(with(append(append([]byte{mysql.COM_STMT_EXECUTE}, id...), 0, 1, 0, 0, 0, 7, 0)...))
	f.Add(with(append(append([]byte{mysql.COM_STMT_SEND_LONG_DATA}, id...), 1, 0, 'x')...))
	f.Add(packet(0, append([]byte{mysql.COM_CHANGE_USER}, "root\x00\x00db\x00\xff\x00p\x00\x05\x01a\x01b"...)...))
	f.Add(packet(0, mysql.COM_FIELD_LIST, 't', 0, '%'))
	f.Add(packet(0, mysql.COM_PROCESS_KILL, 9, 0, 0, 0))
	f.Add(packet(0, mysql.COM_SET_OPTION, 1, 0))
	s, _, _ := start(f, Options{Accounts: users(f)})
	f.Fuzz(func(t *testing.T, input []byte) { talk(t, s, true, input) })
}
