package operators

import (
	"streamsql/operators/account"
	"streamsql/operators/state"
)

// passed remembers a watermark over batches and checkpoints: a store of at most
// one row of 8 bytes.
type passed struct {
	store *state.Store
	row   state.Ref
}

func newPassed(a *account.Account) *passed { return &passed{store: state.NewStore(a)} }

// at is the watermark last set; false: none was.
func (p *passed) at() (int64, bool) {
	if p.row == 0 {
		return 0, false
	}
	return getInt(p.store.Get(p.row)), true
}

// set moves the watermark on. It never goes back.
func (p *passed) set(to int64) error {
	if was, ok := p.at(); ok && was >= to {
		return nil
	}
	if p.row == 0 {
		var err error
		if p.row, err = p.store.Alloc(8); err != nil {
			return err
		}
	}
	putInt(p.store.Mutable(p.row), to)
	return nil
}

// rebuild finds the row in the store just loaded.
func (p *passed) rebuild() {
	p.store.Scan(func(r state.Ref, _ []byte) bool {
		p.row = r
		return false
	})
}
