#!/usr/bin/env bash
# Installs what the tests need beyond Go: a MariaDB server, the reference for SQL,
# a mysql client, and on Linux strace, which shows that rows are synced before OK. Where it may not install, it says what will be skipped and why;
# with CI=true that is a failure.
set -u

missing=()
have() { command -v "$1" > /dev/null || [ -x "/usr/sbin/$1" ]; }
have mariadbd || have mysqld || missing+=(mariadb-server)
have mariadb || have mysql || missing+=(mariadb-client)
[ "$(uname)" != Linux ] || have strace || missing+=(strace)
[ ${#missing[@]} = 0 ] && exit 0

reason=''
sudo=''
if [ "$(id -u)" != 0 ]; then
  if sudo -n true 2> /dev/null; then sudo='sudo -n'; else reason='not root, and sudo asks for a password'; fi
fi
if [ -n "$reason" ]; then :
elif command -v apt-get > /dev/null; then
  # The package must not start a server of its own: tests start theirs.
  $sudo env DEBIAN_FRONTEND=noninteractive sh -c "apt-get update -qq && apt-get install -y -qq --no-install-recommends ${missing[*]}" || reason='apt-get failed'
elif command -v dnf > /dev/null; then
  # Fedora and its kin name the client package after the project alone.
  $sudo dnf install -y -q "${missing[@]/mariadb-client/mariadb}" || reason='dnf failed'
elif command -v apk > /dev/null; then
  $sudo apk add -q mariadb mariadb-client strace || reason='apk failed'
elif command -v brew > /dev/null; then
  brew install -q mariadb || reason='brew failed'
else
  reason='no package manager that this script knows'
fi
[ -z "$reason" ] && exit 0

echo "tests/setup.sh: cannot install ${missing[*]}: $reason" >&2
echo "Skipped without them: the random programs' comparison, the reference runs of tests/logic and tests/clients, the client scripts, and the traces of system calls." >&2
[ "${CI:-}" = true ] && { echo "CI=true: a skip is a failure." >&2; exit 1; }
exit 0
