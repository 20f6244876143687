// Package state holds the state of operators: rows packed into pages without
// pointers, copied on write so that readers and checkpoints hold images of a
// moment for free, and hash tables over them.
package state
