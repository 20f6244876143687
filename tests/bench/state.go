package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

// stateSizes measures the memory and the disk of a group with three aggregates: how
// many bytes the process and its directory have grown by, once the stream is at its
// end and the server idle. Memory is the resident anonymous kind; files that are
// mapped, which the system takes back at will, are told apart.
func stateSizes(options) ([]string, error) {
	var lines []string
	for _, keys := range []int{1_000_000, 5_000_000} {
		l, err := stateOf(keys)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func stateOf(keys int) (string, error) {
	n, err := start(2)
	if err != nil {
		return "", err
	}
	defer n.stop()
	events := keys * 3 / 46 * 50 // so that nearly every key comes
	rows := uint64(events / 50 * 46)
	const stream = `CREATE STREAM TABLE %s (auction BIGINT, bidder BIGINT, price BIGINT)
		WITH (connector = 'nexmark', table = 'bid', events = '%d', hot_auctions = '1', hot_bidders = '1', in_flight_auctions = '1000000', active_people = '1000000')`
	const view = `CREATE MATERIALIZED VIEW %s AS SELECT (auction * 7919 + bidder) %% %d AS k, COUNT(*) AS n, SUM(price) AS s, MAX(price) AS m FROM %s GROUP BY (auction * 7919 + bidder) %% %[2]d`
	for _, q := range []string{
		fmt.Sprintf(stream, "few", 50_000), fmt.Sprintf(view, "w", 10, "few"),
	} {
		if err := n.exec(q); err != nil {
			return "", err
		}
	}
	if err := n.settled("w", 46_000); err != nil {
		return "", err
	}
	memory, mapped := resident()
	disk := n.onDisk()
	for _, q := range []string{
		fmt.Sprintf(stream, "bids", events), fmt.Sprintf(view, "v", keys, "bids"),
	} {
		if err := n.exec(q); err != nil {
			return "", err
		}
	}
	if err := n.settled("v", rows); err != nil {
		return "", err
	}
	memory1, mapped1 := resident()
	memory, mapped, disk = memory1-memory, mapped1-mapped, n.onDisk()-disk
	var groups, counted int64
	if err := n.db.QueryRow("SELECT COUNT(*), SUM(n) FROM v").Scan(&groups, &counted); err != nil {
		return "", err
	}
	if counted != int64(rows) {
		return "", fmt.Errorf("the groups count %d rows of %d", counted, rows)
	}
	return fmt.Sprintf("%d groups of three aggregates: %d bytes of memory a group, %d of disk (%d of it mapped), state and index by their own account %d",
		groups, memory/groups, disk/groups, mapped/groups, n.accounted("v")/groups), nil
}

// settled waits until a view has taken so many rows in, and everything has come to rest:
// checkpoints are written, and what nobody needs is collected.
func (n *node) settled(view string, rows uint64) error {
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		got, err := n.rowsIn(view)
		if err != nil {
			return err
		}
		if got == rows {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s has taken in %d rows of %d", view, got, rows)
		}
	}
	time.Sleep(6 * time.Second)
	debug.FreeOSMemory()
	return nil
}

// resident is what this process has in memory, in bytes, of its own and of files.
func resident() (own, files int64) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, 0
	}
	field := func(k int) int64 {
		pages, _ := strconv.ParseInt(string(bytes.Fields(b)[k]), 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return field(1) - field(2), field(2)
}

// onDisk is what the server's directory takes of the disk.
func (n *node) onDisk() (size int64) {
	_ = filepath.WalkDir(n.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile
		}
		if info, err := d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				size += st.Blocks * 512
			}
		}
		return nil
	})
	return size
}

// accounted is what a view's account says of its memory.
func (n *node) accounted(view string) int64 {
	if t, ok := n.eng.Catalog().Table("b", view); ok {
		for _, s := range n.eng.Status() {
			if s.View == t.ID {
				return s.Memory
			}
		}
	}
	return 0
}
