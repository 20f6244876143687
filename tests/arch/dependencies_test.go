package arch

import (
	"strings"
	"testing"
)

// dependencies are the modules that we import, and where: directories with all
// below them. Tests may import any of them. docs/adr/0001 says what each is for.
var dependencies = map[string][]string{
	"github.com/pingcap/tidb/pkg/parser": {"sql/parser", "sql/bind", "server/session"},
	"github.com/pingcap/errors":          {"sql/parser"},
	"github.com/go-mysql-org/go-mysql":   {"server/mysqlwire", "server/auth", "cmd/streamsql/shell"},
	"github.com/nats-io/nats-server/v2":  {"engine/topic"},
	"github.com/nats-io/nats.go":         {"engine/topic"},
	"github.com/dgraph-io/badger/v4":     {"engine/checkpoint"},
	"google.golang.org/protobuf":         {"engine/checkpoint"},
	"github.com/tidwall/btree":           {"catalog", "operators"},
	"github.com/klauspost/compress":      {"engine/topic", "catalog/store", "server/httpapi"},
	"github.com/cespare/xxhash/v2":       {"operators/state"},
	"github.com/apache/arrow-go/v18":     {"sql/ingest/arrowipc"},
	"golang.org/x/sys":                   {"engine", "sql/routine", "operators/optest", "cmd/streamsql/shell"},
	"golang.org/x/term":                  {"cmd/streamsql/shell"},
	"golang.org/x/text":                  {"sql/collate", "cmd/streamsql/shell"},
	"gopkg.in/yaml.v3":                   {"cmd/streamsql/settings"},
	"github.com/chzyer/readline":         {"cmd/streamsql/shell"},
	"github.com/go-sql-driver/mysql":     {"cmd/streamsql/bench", "cmd/streamsql/slt", "tests"},
	"github.com/grafana/sobek":           {"sql/routine/js"},
	"github.com/tetratelabs/wazero":      {"sql/routine/wasm"},
	"github.com/cockroachdb/datadriven":  {},
	"pgregory.net/rapid":                 {"planner/plantest"},
}

func TestDependencies(t *testing.T) {
	met := map[string]bool{}
	for _, s := range sources(t) {
		for _, spec := range s.file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if host, _, _ := strings.Cut(path, "/"); !strings.Contains(host, ".") {
				continue // the standard library's, or ours
			}
			module := moduleOf(path)
			met[module] = true
			switch places, known := dependencies[module]; {
			case !known:
				t.Errorf("%s imports %s: a new dependency needs a page in docs/adr and a line in tests/arch", s.path, path)
			case !s.test && !within(s.pkg, places):
				t.Errorf("%s imports %s, which has its place in %s", s.path, path, strings.Join(places, ", "))
			}
		}
	}
	for module := range dependencies {
		if !met[module] {
			t.Errorf("%s is not imported any more: take it off this list and docs/adr/0001", module)
		}
	}
}

// moduleOf is the known module that an import path lies in, or the path itself.
func moduleOf(path string) string {
	for module := range dependencies {
		if path == module || strings.HasPrefix(path, module+"/") {
			return module
		}
	}
	return path
}

func within(pkg string, places []string) bool {
	for _, p := range places {
		if pkg == p || strings.HasPrefix(pkg, p+"/") {
			return true
		}
	}
	return false
}
