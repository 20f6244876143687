package mysqlwire

import (
	"crypto/tls"
	"encoding/binary"

	"github.com/go-mysql-org/go-mysql/mysql"

	"streamsql/server/auth"
	"streamsql/sql/sqlerr"
)

// capabilities are what the server can do; CLIENT_SSL is added when there is a
// certificate. What a client asks beyond them is ignored.
const capabilities = mysql.CLIENT_LONG_PASSWORD | mysql.CLIENT_FOUND_ROWS | mysql.CLIENT_LONG_FLAG |
	mysql.CLIENT_CONNECT_WITH_DB | mysql.CLIENT_ODBC | mysql.CLIENT_LOCAL_FILES | mysql.CLIENT_IGNORE_SPACE |
	mysql.CLIENT_PROTOCOL_41 | mysql.CLIENT_INTERACTIVE | mysql.CLIENT_TRANSACTIONS | mysql.CLIENT_SECURE_CONNECTION |
	mysql.CLIENT_MULTI_STATEMENTS | mysql.CLIENT_MULTI_RESULTS | mysql.CLIENT_PS_MULTI_RESULTS | mysql.CLIENT_PLUGIN_AUTH |
	mysql.CLIENT_CONNECT_ATTRS | mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA | mysql.CLIENT_DEPRECATE_EOF

const maxAttributes = 64 << 10 // bytes of connection attributes that are looked at

// login is what a client says of itself.
type login struct {
	user, db   string
	reply      []byte // its answer to the challenge
	plugin     string // with which it was made; empty: the client knows mysql_native_password only
	attributes map[string]string
}

// greet sends the first packet, with the challenge.
func (c *conn) greet() error {
	caps := uint32(capabilities)
	if c.server.options.TLS != nil {
		caps |= mysql.CLIENT_SSL
	}
	p := c.packets
	p.begin()
	p.out = append(p.out, 10)
	p.out = append(append(p.out, c.server.options.Version...), 0)
	p.out = binary.LittleEndian.AppendUint32(p.out, c.id)
	p.out = append(append(p.out, c.salt[:8]...), 0)
	p.out = binary.LittleEndian.AppendUint16(p.out, uint16(caps))
	p.out = append(p.out, charsetUTF8MB4)
	p.out = binary.LittleEndian.AppendUint16(p.out, mysql.SERVER_STATUS_AUTOCOMMIT)
	p.out = binary.LittleEndian.AppendUint16(p.out, uint16(caps>>16))
	p.out = append(p.out, auth.SaltLen+1)
	p.out = append(p.out, make([]byte, 10)...)
	p.out = append(append(p.out, c.salt[8:]...), 0)
	p.out = append(append(p.out, auth.CachingSHA2...), 0)
	p.end()
	return p.flush()
}

// readLogin reads the client's answer, and starts TLS first if it asks for it.
func (c *conn) readLogin() (*login, error) {
	b, err := c.packets.read()
	if err != nil {
		return nil, err
	}
	if len(b) == 32 && c.server.options.TLS != nil && binary.LittleEndian.Uint32(b)&mysql.CLIENT_SSL != 0 {
		secure := tls.Server(c.packets.conn, c.server.options.TLS)
		c.packets.conn, c.packets.in, c.secure = secure, secure, true
		if b, err = c.packets.read(); err != nil {
			return nil, err
		}
	}
	l, ok := c.parseLogin(b)
	if !ok {
		return nil, sqlerr.New(sqlerr.HandshakeError, "Bad handshake")
	}
	return l, nil
}

// parseLogin takes a HandshakeResponse41 apart.
func (c *conn) parseLogin(b []byte) (*login, bool) {
	r := &reader{b: b}
	c.caps = r.u32() & (capabilities | mysql.CLIENT_SSL)
	r.u32()    // the largest packet that the client takes: rows are not bounded by it
	r.u8()     // character set: always utf8mb4
	r.take(23) // reserved
	l := &login{user: r.nul()}
	switch {
	case c.caps&mysql.CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA != 0:
		l.reply = clone(r.lenencBytes())
	case c.caps&mysql.CLIENT_SECURE_CONNECTION != 0:
		l.reply = clone(r.take(uint64(r.u8())))
	default:
		l.reply = []byte(r.nul())
	}
	if c.caps&mysql.CLIENT_CONNECT_WITH_DB != 0 && len(r.b) > 0 {
		l.db = r.nulOrRest()
	}
	if c.caps&mysql.CLIENT_PLUGIN_AUTH != 0 && len(r.b) > 0 {
		l.plugin = r.nulOrRest()
	}
	if c.caps&mysql.CLIENT_CONNECT_ATTRS != 0 && len(r.b) > 0 {
		l.attributes = readAttributes(r)
	}
	return l, !r.bad && c.caps&mysql.CLIENT_PROTOCOL_41 != 0
}

// readAttributes reads the client's description of itself.
func readAttributes(r *reader) map[string]string {
	n := r.lenenc()
	if n > maxAttributes {
		r.bad = true
		return nil
	}
	in := &reader{b: r.take(n)}
	m := map[string]string{}
	for len(in.b) > 0 && !in.bad {
		k := string(in.lenencBytes())
		m[k] = string(in.lenencBytes())
	}
	r.bad = r.bad || in.bad
	return m
}

// authenticate proves that the client is l.user. It answers for an unknown user
// as for a known one with a wrong password.
func (c *conn) authenticate(l *login) error {
	account, found := c.server.options.Accounts.Lookup(l.user, c.host)
	if !found {
		account = auth.Unknown(l.user)
	}
	reply := emptyIfZero(l.reply)
	denied := func() error {
		using := "NO"
		if len(reply) > 0 {
			using = "YES"
		}
		return sqlerr.New(sqlerr.AccessDenied, "Access denied for user '%s'@'%s' (using password: %s)", l.user, c.host, using)
	}
	if len(account.Hash) == 0 { // then the answer is empty with every plugin
		if len(reply) > 0 {
			return denied()
		}
		return nil
	}
	plugin := l.plugin
	if plugin == "" {
		plugin = auth.Native
	}
	if plugin != account.Plugin {
		if c.caps&mysql.CLIENT_PLUGIN_AUTH == 0 {
			return sqlerr.New(1251, "Client does not support authentication protocol requested by server; consider upgrading MySQL client")
		}
		var err error
		if reply, err = c.switchPlugin(account.Plugin); err != nil {
			return err
		}
	}
	ok, err := c.check(account, reply)
	if err != nil {
		return err
	}
	if !ok || !found {
		return denied()
	}
	return nil
}

// emptyIfZero: the clients of caching_sha2_password send an empty password as a zero byte.
func emptyIfZero(reply []byte) []byte {
	if len(reply) == 1 && reply[0] == 0 {
		return nil
	}
	return reply
}

// switchPlugin asks the client for an answer with another plugin, to a new challenge.
func (c *conn) switchPlugin(plugin string) ([]byte, error) {
	c.salt = auth.NewSalt()
	p := c.packets
	p.begin()
	p.out = append(append(append(p.out, 0xfe), plugin...), 0)
	p.out = append(append(p.out, c.salt[:]...), 0)
	p.end()
	reply, err := c.ask()
	return emptyIfZero(clone(reply)), err
}

// check compares the answer with the stored hash, asking for more if it must.
func (c *conn) check(a *auth.Account, reply []byte) (bool, error) {
	if a.Plugin == auth.Native {
		return auth.CheckNative(a, c.salt[:], reply), nil
	}
	if len(reply) == 0 {
		return false, nil
	}
	if ok, known := c.server.sha2.Check(a, c.salt[:], reply); known {
		if ok {
			c.more(3) // fast path done
		}
		return ok, nil
	}
	c.more(4) // the password itself is wanted
	sent, err := c.ask()
	if err != nil {
		return false, err
	}
	if c.secure {
		return c.checkClear(a, trimZero(sent)), nil
	}
	if len(sent) == 1 && sent[0] == 2 { // the client wants the public key
		key, err := c.server.keys.Public()
		if err != nil {
			return false, err
		}
		p := c.packets
		p.begin()
		p.out = append(append(p.out, 1), key...)
		p.end()
		if sent, err = c.ask(); err != nil {
			return false, err
		}
	}
	password, ok := c.server.keys.Decrypt(c.salt[:], sent)
	return ok && c.checkClear(a, password), nil
}

func (c *conn) checkClear(a *auth.Account, password []byte) bool {
	if !auth.CheckSHA2(a, password) {
		return false
	}
	c.server.sha2.Store(a, password)
	return true
}

// more sends one byte of further authentication data.
func (c *conn) more(b byte) {
	c.packets.begin()
	c.packets.out = append(c.packets.out, 1, b)
	c.packets.end()
}

// ask sends what waits and reads the client's answer.
func (c *conn) ask() ([]byte, error) {
	if err := c.packets.flush(); err != nil {
		return nil, err
	}
	return c.packets.read()
}

func trimZero(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == 0 {
		return b[:n-1]
	}
	return b
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }
