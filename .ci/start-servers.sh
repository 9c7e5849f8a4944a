# Sourced by .ci/run: starts the database servers of the tests that do not listen at their usual ports. Each gets a
# free port and a folder that is removed at the end; no server that exists on the machine is changed.

servers_folder=

listens() { (: >"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => {
    console.log(s.address().port); s.close() })'
}

wait_for_port() {
  for _ in $(seq 300); do
    listens "$1" && return
    sleep 0.1
  done
  printf 'no server listens on port %s\n' "$1" >&2
  return 1
}

apt_install() {
  local sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  ($sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq "$@") \
    >/tmp/apt-install.log 2>&1 || tail -n 5 /tmp/apt-install.log
}

# Makes the folder of a server that does not run as root.
prepare_folder() {
  mkdir -p "$servers_folder/$1"
  [ "$(id -u)" -ne 0 ] || chown "$2" "$servers_folder/$1"
}

as_user() {
  local user=$1
  shift
  if [ "$(id -u)" -eq 0 ]; then setpriv --reuid="$user" --regid="$user" --init-groups "$@"; else "$@"; fi
}

start_postgres() {
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || apt_install postgresql
  local programs port data=$servers_folder/postgres
  programs=$(dirname "$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | tail -n 1)")
  port=$(free_port)
  prepare_folder postgres postgres
  as_user postgres "$programs/initdb" -D "$data" -U root -A trust >/dev/null
  as_user postgres "$programs/postgres" -D "$data" -h 127.0.0.1 -p "$port" -k "$data" >"$servers_folder/postgres.log" 2>&1 &
  wait_for_port "$port"
  until "$programs/createdb" -h 127.0.0.1 -p "$port" -U root test 2>/dev/null; do sleep 0.2; done
  export TEST_POSTGRES_URL="postgres://root@127.0.0.1:$port/test"
}

start_mariadb() {
  command -v mariadbd >/dev/null || apt_install mariadb-server
  local port data=$servers_folder/mariadb
  port=$(free_port)
  prepare_folder mariadb mysql
  # A server that starts deletes the temporary tables of another one in the same folder.
  prepare_folder mariadb-tmp mysql
  as_user mysql mariadb-install-db --no-defaults --datadir="$data" --tmpdir="$data-tmp" \
    --auth-root-authentication-method=normal >/dev/null
  as_user mysql mariadbd --no-defaults --datadir="$data" --tmpdir="$data-tmp" --bind-address=127.0.0.1 --port="$port" \
    --socket="$data/server.sock" >"$servers_folder/mariadb.log" 2>&1 &
  wait_for_port "$port"
  mariadb --no-defaults -h 127.0.0.1 -P "$port" -u root -e 'CREATE DATABASE IF NOT EXISTS test'
  export TEST_MYSQL_URL="mysql://root@127.0.0.1:$port/test"
}

start_redis() {
  local port
  port=$(free_port)
  redis-server --bind 127.0.0.1 --port "$port" --save '' --dir "$servers_folder" >"$servers_folder/redis.log" 2>&1 &
  wait_for_port "$port"
  export TEST_REDIS_URL="redis://127.0.0.1:$port"
}

stop_servers() {
  local servers
  servers=$(jobs -p)
  # shellcheck disable=SC2086
  [ -z "$servers" ] || { kill $servers && wait $servers; } 2>/dev/null
  rm -rf "$servers_folder"
}

start_servers() {
  servers_folder=$(mktemp -d /tmp/latchkey-servers-XXXXXX)
  chmod 755 "$servers_folder"
  trap stop_servers EXIT
  [ -n "${TEST_POSTGRES_URL-}" ] || listens 5432 || start_postgres
  [ -n "${TEST_MYSQL_URL-}" ] || listens 3306 || start_mariadb
  # The tests start PgBouncer, nginx, a Redis Cluster, and a Galera cluster whose nodes copy each other with rsync.
  apt_install pgbouncer galera-4 rsync lsof redis-server nginx
  [ -n "${TEST_REDIS_URL-}" ] || listens 6379 || start_redis
}
