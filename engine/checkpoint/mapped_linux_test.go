package checkpoint

import (
	"bytes"
	"fmt"
	"testing"
)

func TestMapping(t *testing.T) {
	m := mappedFiles{root: "/data/db/"}
	for line, want := range map[string]bool{
		"7f01c8000000-7f01cc000000 rw-s 00000000 fd:00 1234                       /data/db/000001.vlog":  true,
		"7f01c8000000-7f01cc000000 rw-s 00000000 fd:00 1234                       /data/db/00001.mem":    false,
		"7f01c8000000-7f01cc000000 rw-s 00000000 fd:00 1234                       /data/dbs/000001.vlog": false,
		"7f01c8000000-7f01cc000000 r--p 00000000 fd:00 1236                       /data/db/000002.vlog":  false,
		"c000000000-c004000000 rw-p 00000000 00:00 0":                                                    false,
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]":            false,
	} {
		p, ok := m.mapping(line)
		if ok != want || ok && p != (mapping{0x7f01c8000000, 0x7f01cc000000, "000001.vlog"}) {
			t.Errorf("%s: %v %v", line, p, ok)
		}
	}
}

// What is let go of is read again as it was, while more is written and collected.
func TestLetGo(t *testing.T) {
	d := open(t, t.TempDir())
	defer d.Close()
	m, err := newMappedFiles(d.dir)
	if err != nil {
		t.Fatal(err)
	}
	content := func(p, round uint64) []byte { return bytes.Repeat(fmt.Appendf(nil, "%8d%8d", p, round), 1<<10) }
	const perRound, rounds = 3000, 2 // 96 MB each: files are sealed
	for round := uint64(1); round <= rounds; round++ {
		list := map[uint64][]byte{}
		for p := range uint64(perRound) {
			list[p] = content(p, round)
		}
		put(t, d, round, list)
	}
	before := m.resident()
	d.collecting.Lock()
	err = m.letGo()
	d.collecting.Unlock()
	if after := m.resident(); err != nil || after > before-64<<20 {
		t.Fatalf("%d MiB of files in memory before, %d after: %v", before>>20, after>>20, err)
	}
	latest, err := d.Latest()
	if err != nil {
		t.Fatal(err)
	}
	got, err := pages(d, latest)
	if err != nil || len(got) != perRound {
		t.Fatalf("%d pages: %v", len(got), err)
	}
	for p, data := range got {
		if data != string(content(p, rounds)) {
			t.Fatalf("page %d is another", p)
		}
	}
}
