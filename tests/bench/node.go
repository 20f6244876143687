package main

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"streamsql/engine"
	"streamsql/operators/connector"
	"streamsql/operators/connector/nexmark"
	"streamsql/server"
)

// node is a whole server in this process, so that its CPU time can be read.
type node struct {
	dir   string
	eng   *engine.Engine
	front *server.Server
	addr  string
	db    *sql.DB
}

func start(workers int) (*node, error) {
	dir, err := os.MkdirTemp("", "streamsql-bench-")
	if err != nil {
		return nil, err
	}
	n := &node{dir: dir}
	n.eng, err = engine.Open(engine.Config{Dir: dir, Workers: workers, Connectors: connector.NewRegistry(nexmark.Kind())})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	n.addr = l.Addr().String()
	n.front = server.New(l, n.eng, server.Options{})
	go n.front.Serve()
	if n.db, err = n.connect(""); err != nil {
		return nil, err
	}
	if _, err := n.db.Exec("CREATE DATABASE b"); err != nil {
		return nil, err
	}
	n.db.Close()
	n.db, err = n.connect("b")
	return n, err
}

func (n *node) connect(db string) (*sql.DB, error) {
	return sql.Open("mysql", "root@tcp("+n.addr+")/"+db+"?interpolateParams=true")
}

func (n *node) stop() {
	n.db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.front.Shutdown(ctx)
	_ = n.eng.Close()
	os.RemoveAll(n.dir)
}

func (n *node) exec(text string) error {
	if _, err := n.db.Exec(text); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return nil
}

// rowsIn is how many rows the view called name has taken in and applied.
func (n *node) rowsIn(name string) (uint64, error) {
	t, ok := n.eng.Catalog().Table("b", name)
	if !ok {
		return 0, fmt.Errorf("no view %s", name)
	}
	for _, s := range n.eng.Status() {
		if s.View == t.ID {
			if s.Error != "" {
				return 0, fmt.Errorf("view %s: %s", name, s.Error)
			}
			return s.RowsIn, nil
		}
	}
	return 0, fmt.Errorf("view %s has no status", name)
}
