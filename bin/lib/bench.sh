# shellcheck shell=bash
# Sourced by bin/bench-*: builds what is missing, runs the packaged service on a data directory of its own, and loads it.

work=$(mktemp -d)
started=()

stop_started() {
  local pid
  for pid in "${started[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  for pid in "${started[@]}"; do
    wait "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap stop_started EXIT

build_for_bench() {
  mvn -q -B -f "$root/pom.xml" -pl porcupine-app,porcupine-bench,porcupine-testkit -am -DskipTests \
    -Dspotless.check.skip=true package >&2
}

# Waits for a line in a log and prints what the sed expression makes of it.
wait_for() {
  local log=$1 expression=$2 pid=$3 found
  for _ in $(seq 1 600); do
    found=$(sed -n "$expression" "$log" | head -n 1)
    if [[ -n "$found" ]]; then
      printf '%s\n' "$found"
      return 0
    fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  sed 's/^/  | /' "$log" >&2
  return 1
}

# Sets base and token. Arguments go to the service.
start_service() {
  local try
  "$jdk/bin/java" -Xmx512m -XX:+ExitOnOutOfMemoryError -jar "$root/porcupine-app/target/porcupine.jar" \
    --server.port=0 --porcupine.data-dir="$work/data" "$@" >"$work/service.log" 2>&1 &
  started+=($!)
  try=$(wait_for "$work/service.log" 's/.*Try: \(curl .*\)/\1/p' "$!")
  base=$(sed 's/.*\(http:\/\/[^/]*\)\/.*/\1/' <<<"$try")
  token=$(sed 's/.*"api_key":"\([^"]*\)".*/\1/' <<<"$try")
}

# Arguments are the load generator's.
load() {
  "$jdk/bin/java" -Xmx128m -XX:+UseSerialGC -cp "$root/porcupine-bench/target/porcupine-bench.jar:$root/porcupine-bench/target/lib/*" \
    dev.porcupine.bench.LoadGenerator --url="$base" --token="$token" "$@"
}

# One number of GET /actuator/porcupine, by its name; the names asked for are unique there.
state() {
  curl -sS "$base/actuator/porcupine" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}

# Waits until nothing is queued; sets drained to the seconds that took.
drain() {
  local start=$SECONDS
  while [[ "$(state events)" != 0 ]]; do
    if ((SECONDS - start > 600)); then
      echo "still $(state events) events queued after ten minutes" >&2
      return 1
    fi
    sleep 0.2
  done
  drained=$((SECONDS - start))
}

# Events that the load generator's report on stdin calls accepted.
accepted() {
  sed -n 's/^\([0-9,]*\) events accepted.*/\1/p' | tr -d ,
}

machine() {
  echo "$(nproc) cores, $("$jdk/bin/java" --version | head -n 1), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
}
