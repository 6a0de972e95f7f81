#!/usr/bin/env bash
# PostgreSQL for the tests of the shared store, by apt where it is missing and can be installed. Without it these tests
# are skipped by name, so a machine where it cannot be had is no failure.
set -euo pipefail
if compgen -G "/usr/lib/postgresql/*/bin/initdb" > /dev/null || command -v initdb > /dev/null; then
  exit 0
fi
if ! command -v apt-get > /dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "PostgreSQL is missing and cannot be installed here (needs apt and root): its tests are skipped" >&2
  exit 0
fi
# The package would start a server of its own at once; the tests start theirs.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
apt-get update --quiet=2
DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 --no-install-recommends postgresql > /dev/null
