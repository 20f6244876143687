package session

import (
	"context"
	"time"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"streamsql/catalog"
	"streamsql/engine"
	"streamsql/sql/parser"
	"streamsql/sql/sqlerr"
)

// flushStreams runs FLUSH STREAMS.
func (s *Session) flushStreams(ctx context.Context, f *parser.FlushStreams) (*Result, error) {
	if err := s.commit(ctx); err != nil {
		return nil, err
	}
	var ids []catalog.ID
	for _, n := range f.Names {
		o, err := s.namedTable(n, "")
		if err != nil {
			return nil, err
		}
		if o.Kind != catalog.MaterializedView {
			return nil, wrongKind(o, "MATERIALIZED VIEW")
		}
		ids = append(ids, o.ID)
	}
	timeout := s.settings.waitTimeout
	if f.Timeout > 0 {
		timeout = time.Duration(f.Timeout * float64(time.Second))
	}
	ws, err := s.server.engine.Flush(ctx, ids, timeout)
	if err != nil {
		return nil, err
	}
	s.warnAll(ws)
	return &Result{}, nil
}

func wrongKind(o *catalog.Table, kind string) error {
	return sqlerr.New(sqlerr.WrongObject, "'%s.%s' is not %s", o.Database, o.Name, kind)
}

// showStreams runs the SHOW statements of streams and continuous queries.
func (s *Session) showStreams(n *parser.ShowStreams) (*Result, error) {
	t, err := s.streamsTable(n)
	if err != nil {
		return nil, err
	}
	if n.Like != "" {
		t.like(n.Like)
	}
	return t.result(), nil
}

func (s *Session) streamsTable(n *parser.ShowStreams) (*table, error) {
	switch n.What {
	case "stream tables":
		return s.showKind(n.DB, catalog.StreamTable, "Stream_tables_in_")
	case "materialized views":
		return s.showKind(n.DB, catalog.MaterializedView, "Materialized_views_in_")
	case "stream status":
		return s.showStreamStatus(n)
	case "create stream table":
		return s.showCreateKind(n.Name, catalog.StreamTable, "STREAM TABLE")
	case "create materialized view":
		return s.showCreateKind(n.Name, catalog.MaterializedView, "MATERIALIZED VIEW")
	}
	return nil, sqlerr.Unsupported("SHOW " + n.What)
}

func (s *Session) showKind(db string, kind catalog.Kind, title string) (*table, error) {
	db, err := s.database(db)
	if err != nil {
		return nil, err
	}
	t := newTable(title + db)
	for _, o := range s.server.catalog().Tables(db) {
		if o.Kind == kind {
			t.add(o.Name)
		}
	}
	return t, nil
}

func (s *Session) showCreateKind(n *ast.TableName, kind catalog.Kind, word string) (*table, error) {
	o, err := s.namedTable(n, "")
	if err != nil {
		return nil, err
	}
	if o.Kind != kind {
		return nil, wrongKind(o, word)
	}
	title := "Stream Table"
	if kind == catalog.MaterializedView {
		title = "Materialized View"
	}
	t := newTable(title, "Create "+title)
	t.add(o.Name, createText(o))
	return t, nil
}

// showStreamStatus shows how far each materialized view got: of one database,
// or of all.
func (s *Session) showStreamStatus(n *parser.ShowStreams) (*table, error) {
	t := newTable("Name", "Database", "State", "Batch#", "Behind#", "Lag_ms#", "Rows#", "Rows_in#", "Row_errors#", "Late_rows#",
		"Fill_done#", "Fill_total#", "Checkpoint#", "Error")
	c := s.server.catalog()
	for _, st := range s.server.engine.Status() {
		o, ok := c.TableByID(st.View)
		if !ok || n.DB != "" && o.Database != n.DB || n.Name != nil && o.Name != n.Name.Name.O {
			continue
		}
		t.add(statusRow(o, st)...)
	}
	return t, nil
}

func statusRow(o *catalog.Table, st engine.ViewStatus) []any {
	var problem any
	if st.Error != "" {
		problem = st.Error
	}
	return []any{
		o.Name, o.Database, st.State, st.Batch, st.Behind, st.Lag.Milliseconds(), st.Rows, st.RowsIn, st.RowErrors, st.LateRows,
		st.FillDone, st.FillTotal, st.Checkpoint, problem,
	}
}
