package arch

import "testing"

// TestForbidden keeps the rules from becoming true of everything.
func TestForbidden(t *testing.T) {
	for _, c := range []struct {
		from, to string
		test, ok bool
	}{
		{"engine", "operators/batch", false, true},
		{"engine", "planner/physical", false, true},
		{"engine/build", "planner/logical", false, true},
		{"engine/task", "planner/logical", false, false},
		{"planner/rule", "operators", false, false},
		{"operators", "planner/physical", false, false},
		{"operators", "catalog", false, true},
		{"catalog", "engine", false, false},
		{"catalog/store", "catalog", false, true},
		{"server/session", "engine", false, true},
		{"engine", "server/session", false, false},
		{"sql/types", "sql/vector", false, false},
		{"sql/vector", "sql/types", false, true},
		{"sql/vector", "sql/expr", false, false},
		{"sql/eval", "sql/builtin", false, true},
		{"sql/expr", "sql/eval", false, false},
		{"sql/bind", "sql/parser", false, true},
		{"sql/parser", "sql/bind", false, false},
		{"sql/bind", "catalog", false, true},
		{"sql/eval", "catalog", false, false},
		{"catalog", "sql/types", false, true},
		{"catalog", "sql/bind", false, false},
		{"cmd/streamsql/slt", "tests/servers", true, true},
		{"cmd/streamsql/slt", "tests/servers", false, false},
		{"tests/crash", "cmd/streamsql/child", false, true},
		{"operators", "engine", true, false},
		{"nowhere", "sql/types", false, false},
	} {
		if why := forbidden(c.from, c.to, c.test); (why == "") != c.ok {
			t.Errorf("%s → %s (test %v): %q", c.from, c.to, c.test, why)
		}
	}
}
