package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/pem"
	"sync"
)

// Keys is the key pair with which a client that has no TLS hides its password
// during a full caching_sha2_password login. It is made at the first use, and
// lives as long as the process. The zero value is ready.
type Keys struct {
	once sync.Once
	key  *rsa.PrivateKey
	pem  []byte
	err  error
}

func (k *Keys) make() {
	if k.key, k.err = rsa.GenerateKey(rand.Reader, 2048); k.err != nil {
		return
	}
	var der []byte
	if der, k.err = x509.MarshalPKIXPublicKey(&k.key.PublicKey); k.err != nil {
		return
	}
	k.pem = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// Public returns the public key in PEM form.
func (k *Keys) Public() ([]byte, error) {
	k.once.Do(k.make)
	return k.pem, k.err
}

// Decrypt recovers the password from what the client sent: RSA-OAEP over the
// password with its final zero byte, xored with the challenge.
func (k *Keys) Decrypt(salt, sent []byte) ([]byte, bool) {
	k.once.Do(k.make)
	if k.err != nil {
		return nil, false
	}
	p, err := rsa.DecryptOAEP(sha1.New(), rand.Reader, k.key, sent, nil)
	if err != nil || len(p) == 0 {
		return nil, false
	}
	for i := range p {
		p[i] ^= salt[i%len(salt)]
	}
	return p[:len(p)-1], true
}
