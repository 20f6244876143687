package account

import (
	"errors"
	"testing"
)

func TestReserveTakesAllLevelsOrNone(t *testing.T) {
	server := New("server", nil, 100)
	group := New("group", server, 0)
	query := New("query", group, 80)
	if err := query.Reserve(60); err != nil {
		t.Fatal(err)
	}
	var full *CapError
	if err := query.Reserve(30); !errors.Is(err, ErrCap) || !errors.As(err, &full) || full.Account != "query" {
		t.Fatalf("over the query's limit: %v", err)
	}
	other := New("other", group, 0)
	if err := other.Reserve(50); !errors.As(err, &full) || full.Account != "server" {
		t.Fatalf("over the server's limit: %v", err)
	}
	if s, g, q, o := server.Used(), group.Used(), query.Used(), other.Used(); s != 60 || g != 60 || q != 60 || o != 0 {
		t.Fatalf("a refusal left something taken: %d %d %d %d", s, g, q, o)
	}
	query.Force(100)
	query.Release(160)
	if server.Used() != 0 {
		t.Fatalf("not all given back: %d", server.Used())
	}
	query.Force(7)
	if query.Close(); server.Used() != 0 {
		t.Fatalf("Close left %d", server.Used())
	}
	var none *Account
	if none.Reserve(1<<40) != nil || none.Used() != 0 {
		t.Fatal("a nil account must take everything")
	}
}
