package slt

import (
	"context"
	"database/sql"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// session is one named connection: a pool of exactly one.
type session struct {
	pool *sql.DB
	conn *sql.Conn
	user string // empty: that of the DSN
	pass string
	// settings are the SET and USE statements that succeeded, to be run again by a
	// session that takes over after an interruption.
	settings []string
}

func (c *session) close() {
	if c.conn != nil {
		c.conn.Close()
	}
	if c.pool != nil {
		c.pool.Close()
	}
}

func (c *session) remember(text string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	if strings.EqualFold(word, "USE") || strings.EqualFold(word, "SET") && !hasWord(rest, "TRANSACTION") {
		c.settings = append(c.settings, text)
	}
}

func hasWord(text, word string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.EqualFold(first, word)
}

func (r *runner) open(ctx context.Context, user, pass, database string) (*session, error) {
	cfg := r.base.Clone()
	if user != "" {
		cfg.User, cfg.Passwd = user, pass
	}
	cfg.DBName = database
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	c := &session{pool: sql.OpenDB(connector), user: user, pass: pass}
	c.pool.SetMaxOpenConns(1)
	if c.conn, err = c.pool.Conn(ctx); err != nil {
		c.close()
		return nil, err
	}
	if r.opt.Engine == MariaDB {
		if err := c.exec(ctx, mariadbSetUp); err != nil {
			c.close()
			return nil, err
		}
	}
	return c, nil
}

func (c *session) exec(ctx context.Context, statements []string) error {
	for _, q := range statements {
		if _, err := c.conn.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) setUp(ctx context.Context) error {
	cfg, err := mysql.ParseDSN(r.opt.DSN)
	if err != nil {
		return err
	}
	if cfg.Collation == "" {
		cfg.Collation = "utf8mb4_bin"
	}
	cfg.AllowNativePasswords = true
	cfg.ParseTime = false
	r.base = cfg
	c, err := r.open(ctx, "", "", "")
	if err != nil {
		return err
	}
	defer c.close()
	create := "CREATE DATABASE " + r.database
	if r.opt.Engine == MariaDB {
		create += " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	}
	if err := c.exec(ctx, []string{create}); err != nil {
		return err
	}
	r.sessions["default"], err = r.open(ctx, "", "", r.database)
	return err
}

// tearDown drops the database. A session left in a transaction would hold locks
// on what is dropped, so all are closed first.
func (r *runner) tearDown() error {
	r.closeAll()
	if r.opt.Keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	c, err := r.open(ctx, "", "", "")
	if err != nil {
		return err
	}
	defer c.close()
	return c.exec(ctx, []string{"DROP DATABASE " + r.database})
}

// closeAll forgets all sessions and returns them.
func (r *runner) closeAll() map[string]*session {
	r.endFollowing()
	old := r.sessions
	for _, c := range old {
		c.close()
	}
	r.sessions = map[string]*session{}
	return old
}

// session is the present one, opened at first use.
func (r *runner) session(ctx context.Context) (*session, error) {
	if c := r.sessions[r.current]; c != nil {
		return c, nil
	}
	c, err := r.open(ctx, "", "", r.database)
	if err != nil {
		return nil, err
	}
	r.sessions[r.current] = c
	return c, nil
}

// reconnect opens the sessions of old again, trying until ctx is over.
func (r *runner) reconnect(ctx context.Context, old map[string]*session, settings bool) error {
	for name, was := range old {
		for {
			c, err := r.open(ctx, was.user, was.pass, r.database)
			if err == nil && settings {
				c.settings = was.settings
				err = c.exec(ctx, c.settings)
			}
			if err == nil {
				r.sessions[name] = c
				break
			}
			if ctx.Err() != nil {
				return err
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	return nil
}
