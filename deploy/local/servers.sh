#!/usr/bin/env bash
# Starts and stops the servers that Rutter works with, on free ports of the loopback interface, without containers.
#
#   servers.sh up     [--dir DIR] [--nodes N] [--sessions N] [--until PID] [SERVER…]
#                                            start what is not running; wait until it answers
#   servers.sh start  [--dir DIR] SERVER…    the same, for servers that were up before: same port, same data
#   servers.sh stop   [--dir DIR] SERVER…    ask it to end, and wait; ends with 4 when a role had to be killed
#   servers.sh kill   [--dir DIR] SERVER…    SIGKILL to it and everything it started, as if its machine had died
#   servers.sh down   [--dir DIR]            stop all; ports and data stay for the next `up`
#   servers.sh clean  [--dir DIR]            stop all and remove DIR
#   servers.sh status [--dir DIR]            one line per server
#   servers.sh env    [--dir DIR]            where they are, as lines of NAME=VALUE
#
# Servers: kafka redis postgres s3 grid grid-node-1 grid-node-2 …; `up` without names starts kafka, redis, postgres, s3 and
# the grid with its nodes. Rutter's own roles are servers too: rutter-campaigns rutter-aggregator rutter-planner rutter-graph
# rutter-crawler rutter-crawler-2 …; they need the program in RUTTER and the others running, and run with the group ROLE_GROUP
# if it is set. `--nodes` (2) and `--sessions` (1 per node) are for the grid. DIR is .cache/cluster. With `--until` everything is
# cleaned when that process has ended, however it ended: for tests.
#
# Each server is the leader of a session of its own, found by the id written when it was started and never by a name. None
# asks for a password: they are for this machine alone. What they need is installed by `setup.sh servers`.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=$root/.cache
dir=$cache/cluster
nodes=2
sessions=1
# Where the Grid answers: elsewhere than on loopback only in a network of its own.
grid_host=${GRID_HOST:-127.0.0.1}
until=
escalated=0

say() { printf 'servers: %s\n' "$*" >&2; }
die() { printf 'servers: error: %s\n' "$*" >&2; exit 1; }

# --- ids --------------------------------------------------------------------------------------------------------------

# What tells a process from a later one of the same number: this boot, and the moment it was started.
identity() {
  local stat
  stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
  stat=${stat##*) }
  [ "${stat%% *}" != Z ] || return 1
  # shellcheck disable=SC2086 # the words are wanted one by one
  set -- $stat
  printf '%s %s\n' "$(cat /proc/sys/kernel/random/boot_id)" "${20}"
}

alive() {
  [ -f "$dir/$1/pid" ] && [ "$(identity "$(cat "$dir/$1/pid")")" = "$(cat "$dir/$1/identity")" ]
}

# The processes of a server's session: itself, its children, and those they left behind.
members() {
  local leader boot now
  [ -f "$dir/$1/pid" ] || return 0
  leader=$(cat "$dir/$1/pid")
  read -r boot _ <"$dir/$1/identity"
  [ "$boot" = "$(cat /proc/sys/kernel/random/boot_id)" ] || return 0
  # Another process with the leader's number means that its session has ended long ago.
  if now=$(identity "$leader") && [ "$now" != "$(cat "$dir/$1/identity")" ]; then return 0; fi
  # ps fails where it finds nothing.
  { ps -o pid=,stat= -s "$leader" 2>/dev/null || true; } | awk '$2 !~ /^Z/ { print $1 }'
}

# Starts a command in a session of its own. Usage: launch NAME USER COMMAND…; USER is `-` for the current one.
launch() {
  local name=$1 user=$2
  shift 2
  [ "$user" = - ] || set -- setpriv --reuid "$user" --regid "$user" --init-groups -- "$@"
  (cd "$dir/$name" && exec setsid "$@" </dev/null >>"$dir/$name/log" 2>&1 9>&-) &
  printf '%s\n' $! >"$dir/$name/pid"
  # The number stays the same through exec; the moment of its start does too.
  identity $! >"$dir/$name/identity" || die "$name ended at once; its last words in $dir/$name/log: $(tail -n 3 "$dir/$name/log")"
}

# A port of the loopback interface that is free and not among those that outgoing connections are given.
new_port() {
  python3 - <<'PYTHON'
import random, socket
while True:
    port = random.randrange(20000, 30000)
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
PYTHON
}

# The port of a server under a name; the same for as long as its directory stands.
port() {
  local file=$dir/$1/${2:-port}
  [ -f "$file" ] || new_port >"$file"
  cat "$file"
}

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# --- the servers: begin_NAME starts one, ready_NAME says whether it answers ----------------------------------------------

java_of() {
  local folders=("$cache/$1"-*)
  [ -d "${folders[-1]}" ] || die "$1 is not installed; run \`deploy/local/setup.sh servers\`"
  printf '%s/*' "${folders[-1]}"
}

begin_kafka() {
  local classes home=$dir/kafka
  classes=$(java_of kafka)
  cat >"$home/server.properties" <<CONFIG
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:$(port kafka controller-port)
listeners=PLAINTEXT://127.0.0.1:$(port kafka),CONTROLLER://127.0.0.1:$(port kafka controller-port)
advertised.listeners=PLAINTEXT://127.0.0.1:$(port kafka)
controller.listener.names=CONTROLLER
log.dirs=$home/data
auto.create.topics.enable=false
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
# A restart after a kill takes 6 s with these, 17 s without.
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
controller.quorum.election.timeout.ms=500
controller.quorum.fetch.timeout.ms=1000
CONFIG
  if [ ! -f "$home/data/meta.properties" ]; then
    # Written with "=", since one id in 64 begins with "-", which would be read as an option.
    java -Xmx64m -XX:TieredStopAtLevel=1 -cp "$classes" kafka.tools.StorageTool format --standalone \
      --cluster-id="$(python3 -c 'import base64, uuid; print(base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("="))')" \
      -c "$home/server.properties" >>"$home/log" 2>&1 || die "kafka cannot format $home/data: $(tail -n 3 "$home/log")"
  fi
  launch kafka - java -Xmx384m -cp "$classes" kafka.Kafka "$home/server.properties"
}
ready_kafka() { answers "$(port kafka)"; }

begin_redis() {
  command -v redis-server >/dev/null || die "redis is not installed; run \`deploy/local/setup.sh servers\`"
  launch redis - redis-server --bind 127.0.0.1 --port "$(port redis)" --dir "$dir/redis" --save '' --appendonly no
}
ready_redis() { [ "$(redis-cli -p "$(port redis)" ping 2>/dev/null)" = PONG ]; }

# PostgreSQL refuses to run as root: then it runs as user postgres, with its data where that user can reach it.
postgres_user() { if [ "$(id -u)" -eq 0 ]; then echo postgres; else echo -; fi; }
postgres_program() {
  local found
  found=$(compgen -G "/usr/lib/postgresql/*/bin/$1" | sort -V | tail -n 1) || found=$(command -v "$1") \
    || die "postgres is not installed; run \`deploy/local/setup.sh servers\`"
  printf '%s\n' "$found"
}
begin_postgres() {
  local home=$dir/postgres user data as=()
  user=$(postgres_user)
  [ "$user" = - ] || as=(setpriv --reuid "$user" --regid "$user" --init-groups --)
  if [ ! -e "$home/data" ]; then
    mkdir "$home/data"
    if [ "$user" != - ]; then
      chown "$user" "$home/data"
      if ! "${as[@]}" test -w "$home/data"; then
        rmdir "$home/data"
        data=$(mktemp -d "${TMPDIR:-/tmp}/rutter-postgres.XXXXXX")
        chown "$user" "$data"
        ln -s "$data" "$home/data"
      fi
    fi
  fi
  data=$(readlink -f "$home/data")
  if [ ! -f "$data/initialised" ]; then
    (cd "$data" && "${as[@]}" "$(postgres_program initdb)" --pgdata "$data" --username rutter --auth trust \
      --encoding UTF8 --locale C >>"$home/log" 2>&1) || die "postgres cannot initialise $data: $(tail -n 3 "$home/log")"
    touch "$data/initialised"
  fi
  # The number of a postmaster that was killed may be that of another process by now.
  rm -f "$data/postmaster.pid"
  launch postgres "$user" "$(postgres_program postgres)" -D "$data" -c listen_addresses=127.0.0.1 \
    -c port="$(port postgres)" -c unix_socket_directories= -c max_connections=300 -c timezone=UTC
}
ready_postgres() { "$(postgres_program pg_isready)" -q -h 127.0.0.1 -p "$(port postgres)"; }

begin_s3() {
  local folders=("$cache"/s3-*)
  [ -d "${folders[-1]}" ] || die "s3 is not installed; run \`deploy/local/setup.sh servers\`"
  launch s3 - "${folders[-1]}/bin/python" -m moto.server -H 127.0.0.1 -p "$(port s3)"
}
ready_s3() { answers "$(port s3)"; }

grid_java() { launch "$1" - env SE_OFFLINE=true TMPDIR="$(scratch "$1")" java -Xmx256m -cp "$(java_of grid)" org.openqa.selenium.grid.Bootstrap "${@:2}"; }

# Where a node's browsers put their profiles: short, since names of sockets are, and gone when the node has ended.
scratch() {
  [ -f "$dir/$1/scratch" ] || mktemp -d "${TMPDIR:-/tmp}/rutter-$1.XXXXXX" >"$dir/$1/scratch"
  cat "$dir/$1/scratch"
}

grid_secret() {
  [ -f "$dir/grid/secret" ] || head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/grid/secret"
  cat "$dir/grid/secret"
}

grid_common() {
  cat <<CONFIG
[server]
host = "$grid_host"
port = $1
registration-secret = "$(grid_secret)"
[events]
publish = "tcp://$grid_host:$(port grid publish-port)"
subscribe = "tcp://$grid_host:$(port grid subscribe-port)"
bind = $2
CONFIG
}

begin_grid() {
  { grid_common "$(port grid)" true; printf '[distributor]\nhealthcheck-interval = 10\n'; } >"$dir/grid/grid.toml"
  grid_java grid hub --config "$dir/grid/grid.toml"
}
ready_grid() { curl -fsS "http://$grid_host:$(port grid)/status" >/dev/null 2>&1; }

begin_node() {
  local binary arguments='"--headless=new"' name=$1
  # The first that is there. Not by `head`: who still writes when it has ended is ended too, and then none is found.
  binary=$(command -v /usr/lib/chromium/chromium-headless-shell chromium google-chrome) \
    || die "no browser is installed; run \`deploy/local/setup.sh browser\`"
  binary=${binary%%$'\n'*}
  [ "$(id -u)" -ne 0 ] || arguments+=', "--no-sandbox"'
  [ -f "$dir/$name/sessions" ] || echo "$sessions" >"$dir/$name/sessions"
  {
    grid_common "$(port "$name")" false
    cat <<CONFIG
[node]
detect-drivers = false
selenium-manager = false
hub = "http://$grid_host:$(port grid)"
max-sessions = $(cat "$dir/$name/sessions")
override-max-sessions = true
heartbeat-period = 5
[[node.driver-configuration]]
display-name = "chromium"
webdriver-executable = "$(command -v chromedriver)"
max-sessions = $(cat "$dir/$name/sessions")
stereotype = '{"browserName": "chrome", "goog:chromeOptions": {"binary": "$binary", "args": [$arguments]}}'
CONFIG
  } >"$dir/$name/node.toml"
  grid_java "$name" node --config "$dir/$name/node.toml"
}
ready_node() {
  curl -fsS "http://$grid_host:$(port grid)/status" 2>/dev/null | python3 -c '
import json, sys
nodes = json.load(sys.stdin)["value"]["nodes"]
sys.exit(not any(node["uri"] == sys.argv[1] and node["availability"] == "UP" for node in nodes))
' "http://$grid_host:$(port "$1")" 2>/dev/null
}

# The settings that all roles share; blobs are in a directory, since all roles are on this machine.
rutter_settings() {
  cat <<CONFIG
[storage.servers]
postgres = "postgres://rutter@127.0.0.1:$(port postgres)/postgres"
blobs = "$dir/blobs"
[storage.servers.kafka]
brokers = "127.0.0.1:$(port kafka)"
[storage.servers.redis]
url = "redis://127.0.0.1:$(port redis)"
[services.campaigns]
endpoint = "http://127.0.0.1:$(port rutter-campaigns)"
[services.aggregator]
endpoint = "http://127.0.0.1:$(port rutter-aggregator)"
[[services.planners]]
endpoint = "http://127.0.0.1:$(port rutter-planner)"
[services.graph]
endpoint = "http://127.0.0.1:$(port rutter-graph)"
[crawler.browser]
webdriver = "http://$grid_host:$(port grid)"
CONFIG
}

begin_rutter() {
  local role=${1#rutter-} name as=()
  role=${role%%-*}
  [ -x "${RUTTER:-}" ] || die "where is the program? set RUTTER to target/release/rutter"
  for name in rutter-campaigns rutter-aggregator rutter-planner rutter-graph grid; do mkdir -p "$dir/$name"; done
  rutter_settings >"$dir/rutter.toml.$1" && mv "$dir/rutter.toml.$1" "$dir/rutter.toml"
  # A group of its own tells the packets of one role from those of the others.
  [ -z "${ROLE_GROUP:-}" ] || as=(setpriv --regid "$ROLE_GROUP" --clear-groups --)
  # Crawlers serve the benchmark's pages to the browsers of this machine.
  launch "$1" - "${as[@]}" env RUTTER_LOG="${RUTTER_LOG:-info}" RUTTER_MINIWOB_DIR="${RUTTER_MINIWOB_DIR:-$cache/miniwob/html}" \
    RUTTER_MINILM_DIR="${RUTTER_MINILM_DIR:-$cache/minilm}" "$RUTTER" serve "$role" --config "$dir/rutter.toml" --log json \
    --listen "127.0.0.1:$(port "$1")" --admin "127.0.0.1:$(port "$1" admin-port)"
}
ready_rutter() { curl -fsS "http://127.0.0.1:$(port "$1" admin-port)/health/ready" >/dev/null 2>&1; }

begin() { case $1 in grid-node-*) begin_node "$1" ;; rutter-*) begin_rutter "$1" ;; *) "begin_$1" ;; esac; }
ready() { case $1 in grid-node-*) ready_node "$1" ;; rutter-*) ready_rutter "$1" ;; *) "ready_$1" ;; esac; }

# Waits in a session of its own for the end of a process, and for that of a start that is still under way; then cleans.
clean_after() {
  exec 9>"$dir/starting"
  flock 9
  setsid bash -c '
    tail --pid="$1" -f /dev/null
    exec 9>"$3/starting" && flock 9
    exec "$2" clean --dir "$3" 9>&-
  ' watch "$1" "$root/deploy/local/servers.sh" "$dir" </dev/null >/dev/null 2>&1 9>&- &
}

# --- what can be asked for ----------------------------------------------------------------------------------------------

known() {
  [[ $1 =~ ^(kafka|redis|postgres|s3|grid|grid-node-[1-9][0-9]*|rutter-(campaigns|aggregator|planner|graph|crawler)(-[2-9])?)$ ]] \
    || die "unknown server \`$1\`; servers are: kafka redis postgres s3 grid grid-node-N rutter-ROLE rutter-ROLE-N"
}

start() {
  local name
  for name in "$@"; do
    known "$name"
    alive "$name" && continue
    end_now "$name"
    mkdir -p "$dir/$name"
    begin "$name"
  done
  for name in "$@"; do wait_until_ready "$name"; done
  write_env
}

wait_until_ready() {
  local tries=0
  until ready "$1"; do
    alive "$1" || die "$1 ended; its last words in $dir/$1/log: $(tail -n 3 "$dir/$1/log")"
    tries=$((tries + 1))
    [ $tries -lt 600 ] || die "$1 does not answer after a minute; see $dir/$1/log"
    sleep 0.1
  done
}

end_now() {
  local found
  found=$(members "$1")
  # shellcheck disable=SC2086 # one word per process
  [ -z "$found" ] || kill -KILL $found 2>/dev/null || true
  while [ -n "$(members "$1")" ]; do sleep 0.05; done
  [ ! -f "$dir/$1/scratch" ] || rm -rf "$(cat "$dir/$1/scratch")"
  rm -f "$dir/$1"/{pid,identity,scratch}
}

# SIGTERM to the servers all at once, a while to end in peace, and SIGKILL to what is left of each. Roles have more than their
# deadlines add up to: 60 s for attempts, 20 s for sessions, 15 s for the rest.
stop() {
  local name signal tries=0 limit waiting=("$@")
  for name in "$@"; do
    known "$name"
    # To PostgreSQL SIGTERM means to wait for its clients; SIGINT does not.
    signal=TERM; [ "$name" != postgres ] || signal=INT
    if alive "$name"; then kill "-$signal" "$(cat "$dir/$name/pid")" 2>/dev/null || true; fi
  done
  for name in "${waiting[@]}"; do
    limit=150; [[ $name != rutter-* ]] || limit=1100
    while alive "$name" && [ $tries -lt $limit ]; do sleep 0.1; tries=$((tries + 1)); done
    if alive "$name"; then
      say "$name did not end when it was asked to, and is killed"
      [[ $name != rutter-* ]] || escalated=4
    fi
    end_now "$name"
  done
}

existing() {
  local folder
  # What is no server has no port.
  for folder in "$dir"/*/; do if [ -f "$folder/port" ]; then basename "$folder"; fi; done
}

write_env() {
  local name
  : >"$dir/env.new"
  for name in $(existing); do
    case $name in
      kafka) echo "RUTTER_TEST_KAFKA=127.0.0.1:$(port kafka)" ;;
      redis) echo "RUTTER_TEST_REDIS=redis://127.0.0.1:$(port redis)" ;;
      postgres) echo "RUTTER_TEST_POSTGRES=postgres://rutter@127.0.0.1:$(port postgres)/postgres" ;;
      s3) echo "RUTTER_TEST_S3=http://127.0.0.1:$(port s3)" ;;
      grid) echo "RUTTER_TEST_GRID=http://$grid_host:$(port grid)"; echo "RUTTER_TEST_GRID_SECRET=$(grid_secret)" ;;
    esac
  done >>"$dir/env.new"
  mv "$dir/env.new" "$dir/env"
}

status() {
  local name
  for name in $(existing); do
    if alive "$name"; then
      printf '%-12s running, process %s, port %s\n' "$name" "$(cat "$dir/$name/pid")" "$(port "$name")"
    else
      printf '%-12s not running\n' "$name"
    fi
  done
}

[ $# -gt 0 ] || { sed -n '2,/^set -euo/p' "${BASH_SOURCE[0]}" | sed '$d; s/^# \{0,1\}//'; exit 2; }
command=$1
shift
names=()
while [ $# -gt 0 ]; do
  case $1 in
    --dir) mkdir -p "$2"; dir=$(cd "$2" && pwd); shift 2 ;;
    --nodes) nodes=$2; shift 2 ;;
    --sessions) sessions=$2; shift 2 ;;
    --until) until=$2; shift 2 ;;
    -*) die "unknown option \`$1\`" ;;
    *) known "$1"; names+=("$1"); shift ;;
  esac
done

case $command in
  up)
    [ ${#names[@]} -gt 0 ] || names=(kafka redis postgres s3 grid)
    if [[ " ${names[*]} " == *" grid "* ]]; then for ((n = 1; n <= nodes; n++)); do names+=("grid-node-$n"); done; fi
    mkdir -p "$dir"
    [ -z "$until" ] || clean_after "$until"
    start "${names[@]}"
    ;;
  start) start "${names[@]}" ;;
  stop) stop "${names[@]}"; exit $escalated ;;
  kill) for name in "${names[@]}"; do end_now "$name"; done ;;
  down | clean)
    # Roles first: they finish or give back what they have, for which they need the others.
    mapfile -t names < <(existing | grep '^rutter-' || true)
    [ ${#names[@]} -eq 0 ] || stop "${names[@]}"
    mapfile -t names < <(existing | grep -v '^rutter-' || true)
    [ ${#names[@]} -eq 0 ] || stop "${names[@]}"
    if [ "$command" = clean ]; then
      [ ! -L "$dir/postgres/data" ] || rm -rf "$(readlink -f "$dir/postgres/data")"
      rm -rf "$dir"
    fi
    ;;
  status) status ;;
  env) [ -f "$dir/env" ] || die "no server was started in $dir; run \`servers.sh up\`"; cat "$dir/env" ;;
  *) die "unknown command \`$command\`; commands are: up start stop kill down clean status env" ;;
esac
