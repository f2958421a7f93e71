#!/bin/sh
# A PostgreSQL node in a container, on any image that has the server's programs and its user:
#   docker-node.sh primary
#   docker-node.sh replica [DELAY]     DELAY such as 2s: how long it holds each commit back
# POSTGRES_PASSWORD is the password of the superuser postgres, for the replicas as well.
# PRIMARY_HOST (primary) is whom a replica follows.
set -eu
: "${POSTGRES_PASSWORD:?}"
umask 077

# Debian keeps the programs out of the way.
for bin in /usr/lib/postgresql/*/bin; do PATH=$PATH:$bin; done
data=${NODE_DATA:-/var/lib/postgresql/node}
role=$1

case $role in
primary)
  if [ ! -s "$data/PG_VERSION" ]; then
    password=$(mktemp)
    printf '%s\n' "$POSTGRES_PASSWORD" >"$password"
    initdb --pgdata "$data" --username postgres --pwfile "$password" \
      --auth scram-sha-256 --encoding UTF8 --locale C
    rm "$password"
    echo 'host all,replication all all scram-sha-256' >>"$data/pg_hba.conf"
  fi
  ;;
replica)
  if [ ! -s "$data/PG_VERSION" ]; then
    export PGPASSWORD="$POSTGRES_PASSWORD"
    until pg_isready --quiet --host "${PRIMARY_HOST:-primary}"; do sleep 0.2; done
    pg_basebackup --pgdata "$data" --host "${PRIMARY_HOST:-primary}" --username postgres \
      --write-recovery-conf --checkpoint fast
  fi
  ;;
*)
  echo "docker-node.sh: the role must be primary or replica, got $role" >&2
  exit 1
  ;;
esac

# Without WAL kept for them, of two replicas that copy the primary at once one may come too late.
exec postgres -D "$data" -c wal_keep_size=1GB \
  -c listen_addresses='*' -c unix_socket_directories=/tmp -c max_connections=300 \
  -c max_prepared_transactions=20 \
  -c recovery_min_apply_delay="${2:-0}"
