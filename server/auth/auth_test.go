package auth

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/go-mysql-org/go-mysql/mysql"
)

func TestNative(t *testing.T) {
	salt := NewSalt()
	a := &Account{User: "u", Plugin: Native, Hash: NewNative("secret")}
	if !CheckNative(a, salt[:], mysql.CalcNativePassword(salt[:], []byte("secret"))) {
		t.Error("right password refused")
	}
	for _, reply := range [][]byte{nil, {1}, make([]byte, 20), mysql.CalcNativePassword(salt[:], []byte("Secret"))} {
		if CheckNative(a, salt[:], reply) {
			t.Errorf("reply %x accepted", reply)
		}
	}
	empty := &Account{User: "u", Plugin: Native}
	if !CheckNative(empty, salt[:], nil) || CheckNative(empty, salt[:], make([]byte, 20)) {
		t.Error("the empty password is not exactly the empty reply")
	}
}

func TestSHA2(t *testing.T) {
	hash, err := NewSHA2("secret")
	if err != nil {
		t.Fatal(err)
	}
	a := &Account{User: "u", Host: "%", Plugin: CachingSHA2, Hash: hash}
	salt := NewSalt()
	reply := mysql.CalcCachingSha2Password(salt[:], []byte("secret"))

	var c SHA2Cache
	if _, known := c.Check(a, salt[:], reply); known {
		t.Fatal("an empty cache knows the user")
	}
	if CheckSHA2(a, []byte("wrong")) || !CheckSHA2(a, []byte("secret")) {
		t.Fatal("the slow check is wrong")
	}
	c.Store(a, []byte("secret"))
	if ok, known := c.Check(a, salt[:], reply); !ok || !known {
		t.Errorf("right password after a full login: ok %v, known %v", ok, known)
	}
	wrong := mysql.CalcCachingSha2Password(salt[:], []byte("wrong"))
	if ok, known := c.Check(a, salt[:], wrong); ok || !known {
		t.Errorf("wrong password: ok %v, known %v", ok, known)
	}
	changed := *a
	changed.Hash, _ = NewSHA2("other")
	if _, known := c.Check(&changed, salt[:], reply); known {
		t.Error("the cache answers for a password that was changed")
	}
}

func TestKeys(t *testing.T) {
	var k Keys
	text, err := k.Public()
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	pub, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	salt := NewSalt()
	sent, err := mysql.EncryptPassword("päss", salt[:], pub.(*rsa.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := k.Decrypt(salt[:], sent); !ok || string(got) != "päss" {
		t.Errorf("decrypted %q, %v", got, ok)
	}
	if _, ok := k.Decrypt(salt[:], sent[1:]); ok {
		t.Error("garbage was decrypted")
	}
}
