package engine

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"streamsql/catalog"
	"streamsql/operators/connector"
	"streamsql/sql/bind"
	"streamsql/sql/sqlerr"
)

const (
	partitionsOption  = "partitions"
	idleTimeoutOption = "idle_timeout"
	onErrorOption     = "on_error"
	// parallelismOption is the option of a continuous query that says in how many parts its
	// work and state are divided.
	parallelismOption = "parallelism"
)

// Bounds of what options say.
const (
	maxPartitions  = 1024
	maxParallelism = 64
)

// knownOptions are those of WITH (…), but for a connector's own.
var knownOptions = map[catalog.Kind][]string{
	catalog.StreamTable:      {partitionsOption, idleTimeoutOption, retentionOption},
	catalog.MaterializedView: {"allowed_lateness", "late_rows", onErrorOption, historyOption, parallelismOption},
	catalog.ContinuousQuery:  {changelogOption, "allowed_lateness", "late_rows", onErrorOption, parallelismOption},
	catalog.Sink:             {changelogOption, "allowed_lateness", "late_rows", onErrorOption, parallelismOption},
}

// changeableOptions are those that ALTER can set: what is there already does not depend
// on them.
var changeableOptions = map[catalog.Kind][]string{
	catalog.StreamTable:      {idleTimeoutOption, retentionOption},
	catalog.MaterializedView: {historyOption, onErrorOption},
	catalog.ContinuousQuery:  {onErrorOption},
	catalog.Sink:             {onErrorOption},
}

// checkOptions refuses what WITH (…) names and nobody knows, and values that no option
// has.
func (e *Engine) checkOptions(t *catalog.Table) error {
	if err := checkIdleTimeout(t); err != nil {
		return err
	}
	if v, ok := t.Options[onErrorOption]; ok && t.Continuous() && v != "log" && v != "fail" {
		return sqlerr.New(sqlerr.WrongArguments, "on_error is 'log' or 'fail', not '%s'", v)
	}
	if v, ok := t.Options[parallelismOption]; ok && t.Continuous() && parallelismOf(t) == 0 {
		return sqlerr.New(sqlerr.WrongArguments, "parallelism is a number from 1 to %d, not '%s'", maxParallelism, v)
	}
	if err := e.checkSecrets(t); err != nil {
		return err
	}
	if t.Kind == catalog.DimensionTable || t.Delivers() || t.Kind == catalog.StreamTable && t.Options["connector"] != "" {
		return nil // the connector checks its own
	}
	known := knownOptions[t.Kind]
	for k := range t.Options {
		if !slices.Contains(known, k) {
			return sqlerr.New(sqlerr.WrongArguments, "Unknown option '%s' in WITH; known here: %s", k, strings.Join(known, ", "))
		}
	}
	if v, ok := t.Options[partitionsOption]; ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxPartitions {
			return sqlerr.New(sqlerr.WrongArguments, "partitions is a number from 1 to %d, not '%s'", maxPartitions, v)
		}
		t.Partitions = n
	}
	if err := checkRetention(t); err != nil {
		return err
	}
	return checkHistory(t.Options)
}

// checkIdleTimeout takes idle_timeout of a stream with event time; without that
// it has no meaning.
func checkIdleTimeout(t *catalog.Table) error {
	v, given := t.Options[idleTimeoutOption]
	if t.Kind != catalog.StreamTable || !given && t.EventTime == nil {
		return nil
	}
	if t.EventTime == nil {
		return sqlerr.New(sqlerr.WrongArguments, "idle_timeout is for a stream table with WATERMARK FOR")
	}
	w := *t.EventTime
	w.IdleTimeout = catalog.DefaultIdleTimeout
	if given && strings.TrimSpace(v) == "0" {
		w.IdleTimeout = 0
	} else if given {
		d, err := connector.ParseDuration(v)
		if err != nil {
			return sqlerr.New(sqlerr.WrongArguments, "idle_timeout: %s, nor '0', which turns it off", err)
		}
		w.IdleTimeout = d.Microseconds()
	}
	t.EventTime = &w
	return nil
}

// parallelismOf is what a continuous query says of its parallelism; 0: nothing.
func parallelismOf(t *catalog.Table) int {
	n, err := strconv.Atoi(t.Options[parallelismOption])
	if err != nil || n < 1 || n > maxParallelism {
		return 0
	}
	return n
}

// setOptions is ALTER … SET (…): it holds from now on. ddlMu is held.
func (e *Engine) setOptions(ctx context.Context, s *bind.SetOptions) error {
	old, ok := e.cat.Load().TableByID(s.Table.ID)
	if !ok {
		return catalog.NoSuchTable(s.Table.Database, s.Table.Name)
	}
	t := *old
	if t.Options = maps.Clone(old.Options); t.Options == nil {
		t.Options = map[string]string{}
	}
	for k, v := range s.Options {
		if err := e.changeable(old, k); err != nil {
			return err
		}
		if v == "" {
			delete(t.Options, k)
		} else {
			t.Options[k] = v
		}
	}
	if err := e.checkOptions(&t); err != nil {
		return err
	}
	if t.Options[onErrorOption] == "fail" && (len(t.Shares) > 0 || len(e.cat.Load().Sharers(t.ID)) > 0) {
		return sqlerr.New(sqlerr.WrongArguments, "'%s' shares work with other queries, which go on where it would fail: on_error = 'fail' must be said when it is made", nameOf(old))
	}
	gone, err := e.change(ctx, []*catalog.Table{&t})
	if err != nil {
		return err
	}
	defer e.remove(gone)
	if t.Kind == catalog.StreamTable {
		e.streams.Lock()
		if st := e.streams.of[t.ID]; st != nil {
			st.table = &t
			if st.clock != nil {
				st.clock.SetTimeout(t.EventTime.IdleTimeout)
				e.streams.watch(st)
			}
		}
		e.streams.Unlock()
		e.wakeCutter()
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if j := e.jobs[t.ID]; j != nil {
		j.table = &t
		j.log.retain(&t)
	}
	return nil
}

// changeable refuses an option that an object does not have, or that is fixed when it is
// made.
func (e *Engine) changeable(t *catalog.Table, option string) error {
	able := changeableOptions[t.Kind]
	if t.Kind == catalog.StreamTable && t.Options["connector"] != "" {
		able = []string{idleTimeoutOption}
	}
	_, has := t.Options[option]
	switch {
	case slices.Contains(able, option):
		return nil
	case len(able) == 0:
		return sqlerr.New(sqlerr.WrongArguments, "A %s has no option that ALTER can change", t.Kind)
	case has || slices.Contains(knownOptions[t.Kind], option):
		return sqlerr.New(sqlerr.WrongArguments, "Option '%s' is fixed when a %s is made; ALTER can change: %s", option, t.Kind, strings.Join(able, ", "))
	}
	return sqlerr.New(sqlerr.WrongArguments, "Unknown option '%s' in SET; ALTER can change: %s", option, strings.Join(able, ", "))
}
