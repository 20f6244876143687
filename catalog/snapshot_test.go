package catalog

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"streamsql/sql/sqlerr"
)

func code(err error) uint16 {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func names(ts []*Table) []string {
	var out []string
	for _, t := range ts {
		out = append(out, t.Database+"."+t.Name)
	}
	return out
}

// shop is trades ← sales ← bucket, and trades ← raw, in two databases.
func shop(t *testing.T) *Snapshot {
	t.Helper()
	s := NewSnapshot()
	var err error
	for _, d := range []string{"shop", "lab"} {
		if s, err = s.WithDatabase(&Database{Name: d}); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []*Table{
		{ID: 1, Database: "shop", Name: "trades", Kind: StreamTable},
		{ID: 2, Database: "shop", Name: "sales", Kind: MaterializedView, Reads: []ID{1}},
		{ID: 3, Database: "lab", Name: "bucket", Kind: MaterializedView, Reads: []ID{2}},
		{ID: 4, Database: "shop", Name: "raw", Kind: View, Reads: []ID{1}},
	} {
		if s, err = s.WithTable(x); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func TestSnapshotKeepsItsVersion(t *testing.T) {
	old := shop(t)
	gone := old.WithoutTable(2)
	if _, ok := gone.Table("shop", "sales"); ok {
		t.Error("sales is still there after WithoutTable")
	}
	if got := names(gone.Readers(1)); !slices.Equal(got, []string{"shop.raw"}) {
		t.Errorf("readers of trades after the drop: %v", got)
	}
	if _, ok := old.Table("shop", "sales"); !ok {
		t.Error("the old snapshot lost sales")
	}
	if got := names(old.Readers(1)); !slices.Equal(got, []string{"shop.raw", "shop.sales"}) {
		t.Errorf("readers of trades before the drop: %v", got)
	}
	if gone.Version() != old.Version()+1 {
		t.Errorf("version %d after %d", gone.Version(), old.Version())
	}
}

func TestSnapshotErrors(t *testing.T) {
	s := shop(t)
	for _, c := range []struct {
		what string
		want uint16
		edit func() error
	}{
		{"database twice", 1007, func() error { _, err := s.WithDatabase(&Database{Name: "lab"}); return err }},
		{"no database to drop", 1008, func() error { _, err := s.WithoutDatabase("no"); return err }},
		{"table without database", 1049, func() error { _, err := s.WithTable(&Table{ID: 9, Database: "no", Name: "x"}); return err }},
		{"table twice", 1050, func() error { _, err := s.WithTable(&Table{ID: 9, Database: "shop", Name: "raw"}); return err }},
		{"change of nothing", 1146, func() error { _, err := s.WithChanged(&Table{ID: 9, Database: "shop", Name: "x"}); return err }},
		{"change to a taken name", 1050, func() error { _, err := s.WithChanged(&Table{ID: 4, Database: "shop", Name: "sales"}); return err }},
	} {
		if got := code(c.edit()); got != c.want {
			t.Errorf("%s: error %d, want %d", c.what, got, c.want)
		}
	}
}

func TestWithChangedMovesReads(t *testing.T) {
	s, err := shop(t).WithChanged(&Table{ID: 4, Database: "shop", Name: "cooked", Kind: View, Reads: []ID{2}})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(s.Tables("shop")); !slices.Equal(got, []string{"shop.cooked", "shop.sales", "shop.trades"}) {
		t.Errorf("tables: %v", got)
	}
	if got := names(s.Readers(2)); !slices.Equal(got, []string{"lab.bucket", "shop.cooked"}) {
		t.Errorf("readers of sales: %v", got)
	}
}

func TestDropPlan(t *testing.T) {
	s := shop(t)
	trades, _ := s.Table("shop", "trades")
	sales, _ := s.Table("shop", "sales")
	bucket, _ := s.Table("lab", "bucket")
	raw, _ := s.Table("shop", "raw")

	if _, err := DropPlan(s, []*Table{sales}, false); code(err) != sqlerr.DropWithReaders {
		t.Errorf("drop of a view that is read: %v", err)
	} else if want := "Cannot drop materialized view 'shop.sales': materialized view 'lab.bucket' reads it; drop it first, or add CASCADE"; err.Error() != want {
		t.Errorf("got %q\nwant %q", err, want)
	}
	all := []string{"shop.raw", "lab.bucket", "shop.sales", "shop.trades"}
	for _, c := range []struct {
		targets []*Table
		cascade bool
	}{{[]*Table{trades}, true}, {[]*Table{trades, sales, bucket, raw}, false}} {
		order, err := DropPlan(s, c.targets, c.cascade)
		if err != nil || !slices.Equal(names(order), all) {
			t.Errorf("drop of %v, cascade %v: %v, %v", names(c.targets), c.cascade, names(order), err)
		}
	}
}

func TestCheck(t *testing.T) {
	bob := &User{Name: "bob", Host: "%", Grants: []Grant{
		{Privileges: Select, Database: "shop"},
		{Privileges: Insert, Database: "shop", Table: "trades"},
	}}
	for _, c := range []struct {
		user *User
		need Need
		want uint16
	}{
		{Superuser("root", "localhost"), Need{Drop, "shop", ""}, 0},
		{Superuser("root", "localhost"), Need{Insert, "information_schema", "tables"}, 1044},
		{bob, Need{Select, "shop", "sales"}, 0},
		{bob, Need{Select | Insert, "shop", "trades"}, 0},
		{bob, Need{Insert, "shop", "sales"}, 1142},
		{bob, Need{Select, "lab", "bucket"}, 1142},
		{bob, Need{Create, "shop", ""}, 1044},
		{bob, Need{Select, "information_schema", "tables"}, 0},
	} {
		if got := code(Check(c.user, c.need)); got != c.want {
			t.Errorf("%s asks %v: error %d, want %d", c.user.Name, c.need, got, c.want)
		}
	}
	err := Check(bob, Need{Delete, "shop", "sales"})
	if want := "DELETE command denied to user 'bob'@'%' for table 'sales'"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestSnapshotIsSafeForAll: edits of one snapshot and reads of it may run side
// by side (the race detector watches), and each edit stands alone.
func TestSnapshotIsSafeForAll(t *testing.T) {
	s := shop(t)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 100 {
				id := ID(100 + i*100 + n)
				next, err := s.WithTable(&Table{ID: id, Database: "lab", Name: "x", Reads: []ID{1}})
				if err != nil {
					t.Error(err)
				}
				if x, ok := next.Table("lab", "x"); !ok || x.ID != id {
					t.Errorf("table %d is not in its own snapshot", id)
				}
				if got := len(s.Tables("lab")) + len(s.Readers(1)) + len(s.Databases()); got != 1+2+2 {
					t.Errorf("the old snapshot changed: %d", got)
				}
			}
		})
	}
	wg.Wait()
}
