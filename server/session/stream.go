package session

import (
	"context"
	"fmt"
	"strings"
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
		if !o.Continuous() {
			return nil, wrongKind(o, "CONTINUOUS QUERY")
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
	if n.Where != nil {
		if err := s.where(t, n.Where); err != nil {
			return nil, err
		}
	}
	return t.result(), nil
}

func (s *Session) streamsTable(n *parser.ShowStreams) (*table, error) {
	switch n.What {
	case "stream tables":
		return s.showKind(n.DB, catalog.StreamTable, "Stream_tables_in_")
	case "dimension tables":
		return s.showKind(n.DB, catalog.DimensionTable, "Dimension_tables_in_")
	case "materialized views":
		return s.showKind(n.DB, catalog.MaterializedView, "Materialized_views_in_")
	case "continuous queries":
		return s.showQueries(n)
	case "sinks":
		return s.showSinks(n)
	case "resource groups":
		return s.showGroups(), nil
	case "stream status":
		return s.showStreamStatus(n)
	case "create stream table":
		return s.showCreateKind(n.Name, catalog.StreamTable, "STREAM TABLE")
	case "create dimension table":
		return s.showCreateKind(n.Name, catalog.DimensionTable, "DIMENSION TABLE")
	case "secrets":
		t := newTable("Name", "Created")
		for _, x := range s.server.catalog().Secrets() {
			t.add(x.Name, s.clock(x.CreatedAt))
		}
		return t, nil
	case "create function":
		return s.showCreateFunction(n.Name)
	case "create sink":
		return s.showCreateKind(n.Name, catalog.Sink, "SINK")
	case "create continuous query":
		return s.showCreateKind(n.Name, catalog.ContinuousQuery, "CONTINUOUS QUERY")
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
	title := map[catalog.Kind]string{
		catalog.StreamTable: "Stream Table", catalog.DimensionTable: "Dimension Table", catalog.MaterializedView: "Materialized View",
		catalog.Sink: "Sink", catalog.ContinuousQuery: "Continuous Query",
	}[kind]
	t := newTable(title, "Create "+title)
	text := createText(o)
	if kind == catalog.ContinuousQuery {
		text = s.continuousQueryText(o)
	}
	t.add(o.Name, s.readable(text))
	return t, nil
}

// showQueries lists what runs: of one database, or of all.
func (s *Session) showQueries(n *parser.ShowStreams) (*table, error) {
	t := newTable("Name", "Database", "Kind", "State", "Batch#", "Lag_ms#", "Query")
	return t, s.eachQuery(n, func(o *catalog.Table, st engine.ViewStatus) {
		t.add(o.Name, o.Database, strings.ToUpper(string(o.Kind)), st.State, st.Batch, st.Lag.Milliseconds(), o.Query)
	})
}

// showSinks lists the sinks and what they have delivered: of one database, or of all.
func (s *Session) showSinks(n *parser.ShowStreams) (*table, error) {
	t := newTable("Name", "Database", "State", "Connector", "Changelog", "Batch#", "Behind#", "Rows#", "Retractions#", "Reason")
	return t, s.eachQuery(n, func(o *catalog.Table, st engine.ViewStatus) {
		k := st.Sink
		if k == nil {
			return
		}
		var reason any
		if text := st.Error + st.Reason; text != "" {
			reason = text
		}
		t.add(o.Name, o.Database, st.State, k.Connector, k.Changelog, k.Taken, st.Behind, k.Came, k.Went, reason)
	})
}

func (s *Session) showGroups() *table {
	t := newTable("Name", "Weight", "CPU_ms#", "Queries#")
	for _, g := range s.server.engine.Groups() {
		t.add(g.Name, g.Weight, g.CPU.Milliseconds(), g.Queries)
	}
	return t
}

// eachQuery calls f for the continuous queries that a SHOW asks for, by name.
func (s *Session) eachQuery(n *parser.ShowStreams, f func(*catalog.Table, engine.ViewStatus)) error {
	if n.DB != "" {
		if _, err := s.database(n.DB); err != nil {
			return err
		}
	}
	if n.Name != nil {
		o, err := s.namedTable(n.Name, n.DB)
		if err != nil {
			return err
		}
		if !o.Continuous() {
			return wrongKind(o, "CONTINUOUS QUERY")
		}
	}
	c := s.server.catalog()
	for _, st := range s.server.engine.Status() {
		o, ok := c.TableByID(st.View)
		if !ok || n.DB != "" && o.Database != n.DB || n.Name != nil && !s.isNamed(o, n.Name) {
			continue
		}
		f(o, st)
	}
	return nil
}

// isNamed reports that a name means an object.
func (s *Session) isNamed(o *catalog.Table, n *ast.TableName) bool {
	db, name := tableName(n)
	if db == "" {
		db = s.db
	}
	return o.Name == name && o.Database == db
}

// showStreamStatus shows how far each materialized view got: of one database,
// or of all.
func (s *Session) showStreamStatus(n *parser.ShowStreams) (*table, error) {
	t := newTable("Name", "Database", "State", "Batch#", "Behind#", "Lag_rows#", "Lag_ms#", "Rows#", "Rows_in#", "Row_errors#", "Late_rows#",
		"History_done#", "History_total#", "History_percent", "History_left_s#", "Watermark", "Subscribers#", "Checkpoint#", "Reason")
	return t, s.eachQuery(n, func(o *catalog.Table, st engine.ViewStatus) { t.add(statusRow(o, st)...) })
}

func statusRow(o *catalog.Table, st engine.ViewStatus) []any {
	var reason, watermark, percent, left any
	if text := st.Error + st.Reason; text != "" {
		reason = text
	}
	if st.Watermark != nil {
		watermark = watermarkText(*st.Watermark)
	}
	if st.State == "filling" && st.FillTotal > 0 {
		percent = fmt.Sprintf("%.1f", 100*float64(st.FillDone)/float64(st.FillTotal))
		left = int64(st.FillLeft.Seconds() + 0.5)
	}
	return []any{
		o.Name, o.Database, st.State, st.Batch, st.Behind, st.BehindRows, st.Lag.Milliseconds(), st.Rows, st.RowsIn, st.RowErrors, st.LateRows,
		st.FillDone, st.FillTotal, percent, left, watermark, st.Subscribers, st.Checkpoint, reason,
	}
}
