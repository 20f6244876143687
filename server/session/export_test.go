package session

// NewFake is the fake engine, for tests that come by a protocol.
func NewFake() Engine { return newFake() }
