package mysqlwire

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"testing"
	"time"
)

// selfSigned is a certificate for tests.
func selfSigned(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// TestTLS logs in with both plugins under TLS, where caching_sha2_password sends
// the password itself, then runs statements.
func TestTLS(t *testing.T) {
	_, _, addr := start(t, Options{Accounts: users(t), TLS: selfSigned(t)})
	for _, dsn := range []string{"root@tcp(" + addr + ")/", "old:secret@tcp(" + addr + ")/", "new:secret@tcp(" + addr + ")/"} {
		db := open(t, dsn+"?tls=skip-verify")
		n := 0
		rows, err := db.Query("rows 20000")
		if err != nil {
			t.Errorf("%s: %v", dsn, err)
			continue
		}
		for rows.Next() {
			n++
		}
		if n != 16384 { // whole chunks
			t.Errorf("%s: %d rows, %v", dsn, n, rows.Err())
		}
		if err := open(t, dsn).Ping(); err != nil {
			t.Errorf("%s without TLS: %v", dsn, err)
		}
	}
	if err := open(t, "new:wrong@tcp("+addr+")/?tls=skip-verify").Ping(); code(err) != 1045 {
		t.Errorf("wrong password under TLS: %v", err)
	}
	_, _, plain := start(t, Options{})
	if err := open(t, "root@tcp("+plain+")/?tls=skip-verify").Ping(); err == nil {
		t.Error("TLS where none is offered")
	}
}
