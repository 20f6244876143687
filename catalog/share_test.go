package catalog

import (
	"slices"
	"testing"
)

// TestRetire: sales (2) works for tops (5), which totals (6) takes rows from.
func TestRetire(t *testing.T) {
	s := shop(t)
	var err error
	for _, x := range []*Table{
		{ID: 5, Database: "lab", Name: "tops", Kind: MaterializedView, Reads: []ID{1}, Shares: []Share{{Object: 2}}},
		{ID: 6, Database: "lab", Name: "totals", Kind: MaterializedView, Reads: []ID{1}, Shares: []Share{{Object: 5}}},
	} {
		if s, err = s.WithTable(x); err != nil {
			t.Fatal(err)
		}
	}
	of := func(ids ...ID) (out []*Table) {
		for _, id := range ids {
			x, _ := s.TableByID(id)
			out = append(out, x)
		}
		return out
	}
	check := func(what string, going []*Table, gone, kept []string) {
		t.Helper()
		g, k := s.Retire(going)
		if !slices.Equal(names(g), gone) || !slices.Equal(names(k), kept) {
			t.Errorf("%s: gone %v, kept %v; want %v, %v", what, names(g), names(k), gone, kept)
		}
	}
	check("a view that works for nobody", of(6), []string{"lab.totals"}, nil)
	check("one that does", of(2), nil, []string{"shop.sales"})
	check("all in one", of(2, 5, 6), []string{"lab.totals", "lab.tops", "shop.sales"}, nil)
	check("two of three", of(2, 5), nil, []string{"shop.sales", "lab.tops"})

	hidden := *of(2)[0]
	hidden.Hidden, hidden.Name = true, "sales#2"
	if s, err = s.WithChanged(&hidden); err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Table("shop", "sales"); ok {
		t.Error("a hidden view has its name still")
	}
	check("a hidden one stays", of(6), []string{"lab.totals"}, nil)
	check("and goes with the last", of(5, 6), []string{"lab.totals", "lab.tops", "shop.sales#2"}, nil)
	if s, err = s.WithTable(&Table{ID: 7, Database: "shop", Name: "sales", Kind: MaterializedView, Reads: []ID{1}}); err != nil {
		t.Fatal(err)
	}
	if s = s.WithoutTable(2); len(s.Tables("shop")) != 3 {
		t.Error("the name of another went with the hidden view")
	}
}

func TestInOrder(t *testing.T) {
	ts := []*Table{{ID: 1, Reads: []ID{4}}, {ID: 2, Shares: []Share{{Object: 3}}}, {ID: 3, Reads: []ID{1}}, {ID: 4}, {ID: 5, Reads: []ID{99}}}
	var got []ID
	for _, x := range InOrder(ts) {
		got = append(got, x.ID)
	}
	if want := []ID{4, 1, 3, 2, 5}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
