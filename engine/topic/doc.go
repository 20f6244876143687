// Package topic keeps the durable logs: an embedded JetStream server, the
// format of a block of rows, and the commit log whose messages are groups of
// transactions.
//
// What it promises:
//
//   - Append returns without error only after the group was fsynced.
//   - Groups are read back in the order and under the sequence they were
//     acknowledged with. Whatever does not verify is an error that names log and
//     sequence; nothing is skipped.
//   - After an error of Append the outcome is unknown, as after a lost
//     connection: the rows may turn up. If they do, OnCommit delivers them in
//     order like any others, before anything that comes later.
package topic
