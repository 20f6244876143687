// Package checkpoint keeps the state of jobs durably, page by page, in Badger.
//
// A checkpoint is a round over all jobs. It writes only the pages that changed,
// each under the round's number, synced, and then a small manifest, synced
// last, which makes the round current. To load a round takes of each page the
// newest version not newer than it; a page that was freed has an empty version.
// Two rounds are kept; what neither needs is deleted with the next round's
// writes, and what a crash left of a round without a manifest when opened.
package checkpoint
