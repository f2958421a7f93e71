#!/usr/bin/env bash
# Runs a command with a Docker engine at hand, as in
#
#   scripts/docker-engine.sh npm run test:docker
#
# An engine that answers is used as it is. Without one, on Debian as root, one is installed, started
# for this command alone, and stopped afterwards; images are made here, none is pulled: one image
# with PostgreSQL of the distribution and this Node, named by PG_IMAGE and NODE_IMAGE.
set -euo pipefail

if [ $# -eq 0 ]; then
  echo "usage: $0 COMMAND [ARGUMENT...]" >&2
  exit 2
fi
if docker info >/dev/null 2>&1; then exec "$@"; fi

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo 'docker-engine.sh: no Docker engine answers, and installing one needs Debian and root' >&2
  exit 1
fi

image=fresh-reads-local
dir=$(mktemp -d "${TMPDIR:-/tmp}/docker-engine-XXXXXX")
log=$dir/log
export DOCKER_HOST=unix://$dir/docker.sock

stop() {
  status=$?
  trap - EXIT
  if [ -s "$dir/pid" ]; then
    pid=$(cat "$dir/pid")
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 150); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.2
    done
  fi
  [ "$status" -eq 0 ] || tail -n 20 "$log" >&2
  rm -rf --one-file-system "$dir"
  exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

packages() {
  for program in dockerd docker-compose debootstrap iptables; do
    command -v "$program" >/dev/null && continue
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -yq --no-install-recommends \
      docker.io docker-compose debootstrap iptables
    return
  done
}

engine() {
  dockerd --ip 127.0.0.1 --host "$DOCKER_HOST" --data-root "$dir/data" --exec-root "$dir/exec" \
    --pidfile "$dir/pid" >>"$log" 2>&1 &
  for _ in $(seq 150); do
    docker info >/dev/null 2>&1 && return
    sleep 0.2
  done
  echo 'docker-engine.sh: dockerd does not answer after 30 s' >&2
  return 1
}

local_image() {
  local root=$dir/root codename mirror postgres
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
    sed -nE 's/^(URIs:|deb( \[.*\])?) +(\S+).*/\3/p' | head -n 1) || true
  postgres=$(apt-cache depends postgresql | sed -nE 's/.*Depends: (postgresql-[0-9]+)$/\1/p' | head -n 1)
  debootstrap --variant=minbase --include="$postgres" "$codename" "$root" "$mirror"
  install -m 755 "$(node -p process.execPath)" "$root/usr/local/bin/node"
  tar --create --directory "$root" --exclude=./proc/* --exclude=./sys/* --exclude=./dev/* \
    --exclude=./usr/share/doc --exclude=./usr/share/locale --exclude=./var/cache/apt \
    --exclude=./var/lib/apt/lists . | docker import - "$image"
  rm -rf --one-file-system "$root"
}

{
  packages
  engine
  local_image
} >>"$log" 2>&1

export PG_IMAGE=$image NODE_IMAGE=$image
# The helper that clears up after a crash is an image to be pulled; here the engine ends as a whole.
export TESTCONTAINERS_RYUK_DISABLED=true
# Where ports are published by this engine. Inside a container testcontainers would take the bridge for it.
export TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1
"$@"
