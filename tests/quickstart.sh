#!/usr/bin/env bash
# Runs the fenced blocks of the README's quick start word for word: the sh block,
# then the sql block through a stock client, and compares what the latter prints
# with the text block.
set -euo pipefail
cd "$(dirname "$0")/.."
block() { # LANGUAGE: the first such block below "## Quick start"
  awk -v lang="$1" '/^## /{on = /^## Quick start/} on && $0 == "```" lang {f = 1; next} f && /^```/{exit} f' README.md
}
client=$(command -v mariadb || command -v mysql) || {
  echo "skipped: no mysql client (run tests/setup.sh)"
  [ "${CI:-}" = true ] && exit 1
  exit 0
}
work=$(mktemp -d)
server=''
trap '[ -n "$server" ] && kill "$server" 2> /dev/null; rm -rf "$work"' EXIT

bash -euo pipefail -c "$(block sh)" > "$work/demo"
grep -q 3 "$work/demo" || { echo "make demo printed nothing of use"; cat "$work/demo"; exit 1; }

bin/streamsql serve --mysql 127.0.0.1:0 --data "$work/data" > "$work/ready" 2> "$work/log" &
server=$!
for _ in $(seq 200); do [ -s "$work/ready" ] && break; sleep 0.05; done
address=$(sed -n 's/.*"mysql":"\([^"]*\)".*/\1/p' "$work/ready")
[ -n "$address" ] || { echo "the server did not start"; cat "$work/log"; exit 1; }
block sql | "$client" --no-defaults --protocol=tcp -h "${address%:*}" -P "${address##*:}" -u root > "$work/got"
block text | diff - "$work/got" || { echo "the quick start printed something else"; exit 1; }
echo "ok: the quick start prints what the README says"
