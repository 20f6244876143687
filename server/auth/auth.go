// Package auth proves who a client is, from stored hashes only: no password is
// kept in clear. It speaks mysql_native_password and caching_sha2_password as
// computations; who sends what when is package mysqlwire's business.
package auth

import (
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"sync"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// The authentication plugins.
const (
	Native      = mysql.AUTH_NATIVE_PASSWORD
	CachingSHA2 = mysql.AUTH_CACHING_SHA2_PASSWORD
)

// SaltLen is the length of the challenge, in bytes.
const SaltLen = 20

// Account is what is known of a user. It is immutable.
type Account struct {
	User, Host string // Host is the pattern of the account, such as %
	Plugin     string
	// Hash is SHA1(SHA1(password)) for Native, the salted crypt of NewSHA2 for
	// CachingSHA2, and empty for an empty password.
	Hash []byte
}

// Accounts finds accounts. Safe for all.
type Accounts interface {
	// Lookup returns the account that a client at host (an address without port)
	// logs in to as user.
	Lookup(user, host string) (*Account, bool)
}

// Static is a fixed set of accounts, by user name, for every host.
type Static map[string]*Account

// Lookup of a user, wherever the client is.
func (s Static) Lookup(user, _ string) (*Account, bool) {
	a, ok := s[user]
	return a, ok
}

// Root is the account that a new server has: root without a password.
func Root() Static {
	return Static{"root": {User: "root", Host: "%", Plugin: Native}}
}

// NewNative makes the stored hash of a password for mysql_native_password.
func NewNative(password string) []byte { return mysql.NativePasswordHash([]byte(password)) }

// NewSHA2 makes the stored hash of a password for caching_sha2_password.
func NewSHA2(password string) ([]byte, error) {
	if password == "" {
		return nil, nil
	}
	h, err := mysql.NewSha256PasswordHash(password)
	return []byte(h), err
}

// NewSalt makes a challenge. Its bytes are never 0 (clients take it for a C
// string) nor '$' (old clients cut there).
func NewSalt() [SaltLen]byte {
	var s [SaltLen]byte
	rand.Read(s[:]) // never fails
	for i, b := range s {
		b &= 0x7f
		if b == 0 || b == '$' {
			b++
		}
		s[i] = b
	}
	return s
}

// CheckNative reports whether reply answers the challenge for a.
func CheckNative(a *Account, salt, reply []byte) bool {
	if len(a.Hash) == 0 {
		return len(reply) == 0
	}
	// The length is the client's choice: the comparison wants exactly a SHA-1.
	return len(reply) == 20 && mysql.CompareNativePassword(reply, a.Hash, salt)
}

// CheckSHA2 checks a password in clear, as a client sends it under TLS or RSA.
func CheckSHA2(a *Account, password []byte) bool {
	if len(a.Hash) == 0 {
		return len(password) == 0
	}
	ok, err := mysql.Check256HashingPassword(a.Hash, string(password))
	return err == nil && ok
}

// Unknown is an account that no password opens: who asks for a user that is not
// there is answered as one with a wrong password.
func Unknown(user string) *Account {
	hash := make([]byte, sha1.Size)
	rand.Read(hash) // never fails
	return &Account{User: user, Plugin: Native, Hash: hash}
}

// Host is how accounts know a peer: its address without the port, or localhost.
func Host(peer string) string {
	host, _, err := net.SplitHostPort(peer)
	if ip := net.ParseIP(host); err != nil || ip != nil && ip.IsLoopback() {
		return "localhost"
	}
	return host
}

// SHA2Cache remembers SHA256(SHA256(password)) of who has logged in, so that
// the next login needs one round trip and no slow hash. The zero value is ready.
type SHA2Cache struct {
	mu sync.RWMutex
	m  map[string]cached
}

type cached struct {
	hash   string // the account's stored hash: a changed password misses
	stage2 [sha256.Size]byte
}

// Check reports whether reply answers the challenge for a; known is false when
// the cache cannot tell.
func (c *SHA2Cache) Check(a *Account, salt, reply []byte) (ok, known bool) {
	if len(a.Hash) == 0 {
		return len(reply) == 0, true
	}
	c.mu.RLock()
	e, found := c.m[key(a)]
	c.mu.RUnlock()
	if !found || e.hash != string(a.Hash) || len(reply) != sha256.Size {
		return false, false
	}
	// reply = SHA256(p) xor SHA256(SHA256(SHA256(p)) + salt)
	h := sha256.New()
	h.Write(e.stage2[:])
	h.Write(salt)
	stage1 := mysql.Xor(h.Sum(nil), reply)
	got := sha256.Sum256(stage1)
	return subtle.ConstantTimeCompare(got[:], e.stage2[:]) == 1, true
}

// CheckPassword checks a password in clear, whatever the account's plugin is.
func (c *SHA2Cache) CheckPassword(a *Account, password []byte) bool {
	switch {
	case len(a.Hash) == 0:
		return len(password) == 0
	case a.Plugin == Native:
		return subtle.ConstantTimeCompare(NewNative(string(password)), a.Hash) == 1
	}
	stage1 := sha256.Sum256(password)
	stage2 := sha256.Sum256(stage1[:])
	c.mu.RLock()
	e, found := c.m[key(a)]
	c.mu.RUnlock()
	if found && e.hash == string(a.Hash) {
		return subtle.ConstantTimeCompare(e.stage2[:], stage2[:]) == 1
	}
	if !CheckSHA2(a, password) {
		return false
	}
	c.Store(a, password)
	return true
}

// Store remembers a password that CheckSHA2 accepted.
func (c *SHA2Cache) Store(a *Account, password []byte) {
	stage1 := sha256.Sum256(password)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]cached{}
	}
	c.m[key(a)] = cached{string(a.Hash), sha256.Sum256(stage1[:])}
}

func key(a *Account) string { return a.User + "\x00" + a.Host }
