package state

// Store is a heap of rows in pages.
type Store struct{}
