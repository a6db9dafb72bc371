#!/bin/bash
# Measures the way from an empty folder to a registered website: git clone, npm start, npm run website. The fourth step, a person
# who signs in, is left to the person.
#
#   tools/first-hour.sh FOLDER    FOLDER must not exist; npm's cache is FOLDER/cache, so the first run is cold
#   tools/first-hour.sh FOLDER    a second time: the clone is made again, the cache is warm
set -euo pipefail

folder=$(realpath -m "${1:?tools/first-hour.sh FOLDER}")
checkout=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
port=${PORT:-8080}
website_port=${WEBSITE_PORT:-8090}
mkdir -p "$folder"
rm -rf "$folder/chancery"
export npm_config_cache=$folder/cache
export CHANCERY_MANAGEMENT_LISTEN_PORT=${MANAGEMENT_PORT:-9090}
begun=$(date +%s%N)

# Each command has its own process group, as in a terminal.
set -m
passed() { echo "$(((($(date +%s%N) - begun) + 50000000) / 100000000))" | sed 's/\(.\)$/.\1 s  '"$1"'/'; }
stop() { for group in $(jobs -p); do kill -INT -- "-$group" || true; done; wait; }
trap stop EXIT
until_printed() {
  until grep -q "$1" "$2"; do
    jobs -r | grep -q . || { cat "$2" >&2; exit 1; }
    sleep 0.05
  done
}

git clone -q "$checkout" "$folder/chancery"
cd "$folder/chancery"
passed 'git clone'
npm start -- --port "$port" >"$folder/server.log" 2>&1 &
until_printed '/jwks.json$' "$folder/server.log"
passed 'npm start: the server answers'
token=$(sed -n 's/^ *Initial access token *//p' "$folder/server.log")
npm run website -- --issuer "http://127.0.0.1:$port" --port "$website_port" --initial-access-token "$token" >"$folder/website.log" 2>&1 &
until_printed '^Sample relying party' "$folder/website.log"
passed 'npm run website: people can sign in'
