# StreamSQL. `make` alone prints what there is.
GO      ?= go
BIN     := bin/streamsql
# Where the tests take the binary from; otherwise each test package builds its own.
export STREAMSQL_BIN := $(CURDIR)/$(BIN)

.DEFAULT_GOAL := help
.PHONY: help build demo run test setup lint unit system quickstart soak bench fmt clean FORCE

help: ## print this help
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(BIN) ## build bin/streamsql

$(BIN): FORCE
	@mkdir -p bin
	$(GO) build -o $@ ./cmd/streamsql

demo: build ## run examples/quickstart.sql on a throw-away server and print the results
	$(BIN) run -t examples/quickstart.sql

run: build ## serve on 127.0.0.1:4000 with data in ./data
	$(BIN) serve --mysql 127.0.0.1:4000 --data ./data

PHASES := setup lint unit system quickstart

test: ## run every test; installs what the tests need beyond Go where it may
	@took=''; failed=''; for p in $(PHASES); do start=$$(date +%s); \
	  $(MAKE) --no-print-directory $$p || failed="$$failed $$p"; \
	  took="$$took  $$p $$(($$(date +%s) - start)) s"; done; \
	echo "---$$took"; [ -z "$$failed" ] || { echo "--- failed:$$failed"; exit 1; }

setup: ## install what the tests need beyond Go
	tests/setup.sh

# Packages with property tests, whose random cases CI draws from one seed: what it
# says of a change does not depend on its luck. Elsewhere each run draws anew, and
# make soak draws many.
PROPERTIES = $(shell $(GO) list -f '{{$$p := .ImportPath}}{{range .TestImports}}{{if eq . "pgregory.net/rapid"}}{{$$p}}{{end}}{{end}}' ./...)
unit: build ## tests of the packages
	@failed=0; set -x; \
	$(GO) test $(filter-out $(PROPERTIES),$(shell $(GO) list ./... | grep -v '^streamsql/tests/')) || failed=1; \
	$(GO) test $(PROPERTIES) $(if $(filter true,$(CI)),-rapid.seed=1) || failed=1; \
	exit $$failed

system: build ## tests that talk to running servers
	$(GO) test -p 1 -count=1 -timeout 30m ./tests/... # one at a time: they measure

quickstart: build ## run the README's quick start word for word
	tests/quickstart.sh

# Each takes hours at these sizes: SOAK="…" picks tests, as -run does.
SOAK ?= .
soak: build ## the crash and random tests at full size, for hours
	$(GO) test -count=1 -timeout 0 -v ./tests/crash -run '$(SOAK)' -kills 500 -reads 1000000 -keys 10000000 -objects 10000
	$(GO) test -count=1 -timeout 0 $(PROPERTIES) -run '$(SOAK)' -rapid.checks=20000
	$(GO) build -tags poison -o bin/poison/streamsql ./cmd/streamsql # spoils memory that was given back
	STREAMSQL_BIN=$(CURDIR)/bin/poison/streamsql $(GO) test -count=1 -timeout 0 -v ./tests/random -run '$(SOAK)' -programs 100000
	STREAMSQL_BIN=$(CURDIR)/bin/poison/streamsql $(GO) test -count=1 -timeout 0 -v ./tests/random -run '$(SOAK)' -programs 100000

bench: build ## measure, after checking the results
	for m in start ingest lookup freshness stall growth nexmark; do $(BIN) bench $$m || exit 1; done
	$(GO) run ./tests/bench
	$(GO) test ./sql/agg -run '^$$' -bench Routine -cpu 1

lint: ## gofmt, go vet, staticcheck
	@bad=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$bad" ]; then echo "not gofmt-ed (make fmt mends it):"; echo "$$bad"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool -modfile=tools/go.mod staticcheck ./...

fmt: ## gofmt all files
	gofmt -w $$(git ls-files '*.go')

clean: ## remove what was built
	rm -rf bin
