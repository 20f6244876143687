// Package account counts memory before it is taken: server → group → query.
package account

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrCap is what every refusal of Reserve is, in the sense of errors.Is.
var ErrCap = errors.New("memory limit reached")

// CapError is a refusal: which account was full, and what was asked of it.
type CapError struct {
	Account string
	Limit   int64
	Asked   int64
}

// Error names the account that is full.
func (e *CapError) Error() string {
	return fmt.Sprintf("memory limit of %s reached: %d bytes asked for, limit %d", e.Account, e.Asked, e.Limit)
}

// Is makes a CapError an ErrCap.
func (e *CapError) Is(target error) bool { return target == ErrCap }

// Account is one level of the hierarchy. All methods are safe for concurrent
// use, and a nil Account takes everything without counting.
type Account struct {
	name   string
	parent *Account
	limit  atomic.Int64 // 0: none of its own
	used   atomic.Int64
	closed atomic.Bool
}

// New makes an account below parent (nil: a root). limit in bytes, 0: none.
func New(name string, parent *Account, limit int64) *Account {
	a := &Account{name: name, parent: parent}
	a.limit.Store(limit)
	return a
}

// SetLimit changes the limit. What is taken already stays taken.
func (a *Account) SetLimit(limit int64) { a.limit.Store(limit) }

// Used returns the bytes taken from this account, those of accounts below included.
func (a *Account) Used() int64 {
	if a == nil {
		return 0
	}
	return a.used.Load()
}

// Reserve takes n bytes here and in every account above, or in none: then the
// error is a *CapError.
func (a *Account) Reserve(n int64) error {
	for at := a; at != nil; at = at.parent {
		used, limit := at.used.Add(n), at.limit.Load()
		if limit <= 0 || used <= limit {
			continue
		}
		for back := a; ; back = back.parent {
			back.used.Add(-n)
			if back == at {
				return &CapError{Account: at.name, Limit: limit, Asked: n}
			}
		}
	}
	return nil
}

// Force takes n bytes even beyond the limit, for memory that is needed to go
// on at all and soon given back, such as the copy of a page that a reader holds.
func (a *Account) Force(n int64) {
	if a != nil && a.closed.Load() {
		return
	}
	for ; a != nil; a = a.parent {
		a.used.Add(n)
	}
}

// Release gives n bytes back.
func (a *Account) Release(n int64) { a.Force(-n) }

// Close gives back all that the account still has, when its owner is gone and
// reserves no more. What is released after that, by images that outlive it,
// counts as given back already.
func (a *Account) Close() {
	if a != nil {
		a.Release(a.used.Load())
		a.closed.Store(true)
	}
}
