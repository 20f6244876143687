package engine

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"streamsql/catalog"
	"streamsql/catalog/store"
	"streamsql/operators/connector"
	"streamsql/sql/bind"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// Secrets are kept in the log of DDL, encrypted (AES-256-GCM) with a key that lies in a
// file of its own in the data directory: who copies the log, or a backup without that
// file, has nothing. The name of a secret is bound to its text.

// keyFile holds the key, 32 bytes.
const keyFile = "secret.key"

// sealer encrypts with the key of the data directory; create makes a key if there is none.
func (e *Engine) sealer(create bool) (cipher.AEAD, error) {
	path := filepath.Join(e.cfg.Dir, keyFile)
	key, err := os.ReadFile(path)
	if create && errors.Is(err, fs.ErrNotExist) {
		key = make([]byte, 32)
		rand.Read(key)
		err = writeDurably(path, key)
	}
	if err != nil {
		return nil, sqlerr.New(sqlerr.OutOfResources, "The key of secrets cannot be read: %v", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, sqlerr.New(sqlerr.OutOfResources, "The key of secrets is damaged: %v", err)
	}
	return cipher.NewGCM(block)
}

// writeDurably writes a file that only this user may read, or none at all.
func writeDurably(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// createSecret seals a text. One that is replaced counts for what is made or started afterwards.
func (e *Engine) createSecret(ctx context.Context, s *bind.CreateSecret) ([]Warning, error) {
	cat := e.cat.Load()
	old, exists := cat.Secret(s.Name)
	if exists && !s.OrReplace {
		err := sqlerr.New(sqlerr.WrongArguments, "Secret '%s' already exists", s.Name)
		if s.IfNotExists {
			return note(err), nil
		}
		return nil, err
	}
	aead, err := e.sealer(true)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	x := &catalog.Secret{Name: s.Name, CreatedAt: time.Now().UnixMicro(), Sealed: aead.Seal(nonce, nonce, []byte(s.Value), []byte(s.Name))}
	if exists {
		x.ID = old.ID
	} else {
		x.ID = e.nextID()
	}
	return nil, e.logDDL(ctx, cat.WithSecret(x), store.Entry{Text: "CREATE SECRET " + s.Name, Secrets: []*catalog.Secret{x}})
}

// dropSecret drops a secret that no options name.
func (e *Engine) dropSecret(ctx context.Context, s *bind.DropSecret) ([]Warning, error) {
	cat := e.cat.Load()
	x, ok := cat.Secret(s.Name)
	if !ok {
		if s.IfExists {
			return note(catalog.NoSuchSecret(s.Name)), nil
		}
		return nil, catalog.NoSuchSecret(s.Name)
	}
	if err := cat.SecretFree(s.Name); err != nil {
		return nil, err
	}
	return nil, e.logDDL(ctx, cat.WithoutSecret(s.Name), store.Entry{DropSecrets: []catalog.ID{x.ID}})
}

// checkSecrets refuses secrets that are not there, and those in options that are not
// the connector's own.
func (e *Engine) checkSecrets(t *catalog.Table) error {
	for k, v := range t.Options {
		name, ok := parser.SecretOf(v)
		if !ok {
			continue
		}
		if k == "connector" || t.Options["connector"] == "" {
			return sqlerr.New(sqlerr.WrongArguments, "Option '%s' cannot be a SECRET: only options of connectors can", k)
		}
		if _, err := e.unseal(name); err != nil {
			return err
		}
	}
	return nil
}

// optionValues are the options of a connector, with the texts of secrets in their
// places. others are options that the connector does not see. An error does not show
// these texts.
func (e *Engine) optionValues(kind *connector.Kind, options map[string]string, others ...string) (connector.Values, error) {
	open := maps.Clone(options)
	var texts []string
	for k, v := range options {
		name, ok := parser.SecretOf(v)
		if !ok {
			continue
		}
		if slices.Contains(others, k) {
			return nil, sqlerr.New(sqlerr.WrongArguments, "Option '%s' cannot be a SECRET: only options of connectors can", k)
		}
		var err error
		if open[k], err = e.unseal(name); err != nil {
			return nil, err
		}
		if open[k] != "" {
			texts = append(texts, open[k], "***")
		}
	}
	values, err := kind.Check(open, others...)
	if err != nil && len(texts) > 0 {
		shown := *sqlerr.From(err)
		shown.Message = strings.NewReplacer(texts...).Replace(shown.Message)
		return nil, &shown
	}
	return values, err
}

// unseal is the text of a secret.
func (e *Engine) unseal(name string) (string, error) {
	x, ok := e.cat.Load().Secret(name)
	if !ok {
		return "", catalog.NoSuchSecret(name)
	}
	aead, err := e.sealer(false)
	if err != nil {
		return "", err
	}
	n := aead.NonceSize()
	if len(x.Sealed) < n {
		return "", sqlerr.New(sqlerr.OutOfResources, "Secret '%s' is damaged", name)
	}
	text, err := aead.Open(nil, x.Sealed[:n], x.Sealed[n:], []byte(name))
	if err != nil {
		return "", sqlerr.New(sqlerr.OutOfResources, "Secret '%s' cannot be opened with the key of this data directory", name)
	}
	return string(text), nil
}
