// Package state holds the state of operators: rows packed into pages without
// pointers, copied on write so that readers and checkpoints hold images of a
// moment for free, and hash tables over them.
//
//   - Store (store.go): a heap of byte rows in pages, addressed by Ref.
//   - Image, Delta (image.go): a moment of a Store, for readers and checkpoints.
//   - Table (table.go): a hash index from keys to Refs, rebuilt from the rows.
//   - Codec (rowcodec.go): rows of typed columns as bytes, and back.
//   - AppendOrdered (ordered.go): values as bytes whose order is SQL's.
//   - HashColumns (hash.go): the one hash of keys, of shuffles and tables alike.
//
// A Store and its Tables belong to one goroutine; images are for anybody.
package state
