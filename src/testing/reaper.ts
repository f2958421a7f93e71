/**
 * A program for `sh` (POSIX, so that it needs nothing installed) that waits for the end of its
 * standard input, then ends the servers below the folder given as its argument and removes the
 * folder. A process is ours only if its command line names a data directory in that folder, whose
 * name is random; process ids from files are never trusted.
 */
export const reaperScript = String.raw`
root=$1
trap '' HUP INT TERM
while read -r ignored; do :; done

servers() {
  if [ -r /proc/self/cmdline ]; then
    # grep finds itself too, and is gone at the second look.
    for file in $(grep -lF -e "$root/" /proc/[0-9]*/cmdline 2>/dev/null); do
      case " $(tr '\0' ' ' 2>/dev/null <"$file")" in
        *" -D $root/"*) basename "$(dirname "$file")" ;;
      esac
    done
  else
    ps -A -ww -o pid= -o args= | while read -r pid args; do
      case "$args" in *" -D $root/"*) echo "$pid" ;; esac
    done
  fi
}

pause() { sleep 0.05 2>/dev/null || sleep 1; }

# A server that was frozen has to go on to take a signal, and its children with it.
thaw() {
  for file in $(grep -lE "\) [A-Za-z] $1 " /proc/[0-9]*/stat 2>/dev/null); do
    kill -s CONT "$(basename "$(dirname "$file")")"
  done
  kill -s CONT "$1"
}

# An immediate shutdown first: it also removes what the server holds outside its folder.
for step in QUIT KILL; do
  for pid in $(servers); do kill -s "$step" "$pid"; thaw "$pid"; done
  tries=0
  while [ -n "$(servers)" ] && [ $tries -lt 200 ]; do tries=$((tries + 1)); pause; done
done

# A killed server leaves a small shared memory segment, named in its lock file.
for lock in "$root"/*/postmaster.pid; do
  [ -r "$lock" ] && [ -r /proc/sysvipc/shm ] || continue
  server=$(sed -n 1p "$lock")
  set -- $(sed -n 7p "$lock")
  while read -r key id perms size creator last attached rest; do
    [ "$id" = "$2" ] && [ "$creator" = "$server" ] && [ "$attached" = 0 ] && ipcrm -m "$id"
  done </proc/sysvipc/shm
done

tries=0
until rm -rf "$root" || [ $tries -ge 100 ]; do tries=$((tries + 1)); pause; done
[ ! -e "$root" ]
`;
