#!/usr/bin/env bash
# npm run test:fresh: proves both commands of the README, `npm start` and `npm test`, on a machine that has nothing else.
#
# Makes a minimal Debian root (debootstrap --variant=minbase) with git, curl, procps, strace, libatomic1 and this machine's Node and
# npm, clones this repository into it, and runs both commands there. Needs root and debootstrap. Reaches only the package
# registries that this machine is set up for.
#
#   npm run test:fresh            both commands
#   npm run test:fresh -- start   `npm start` alone
#   npm run test:fresh -- test    `npm test` alone
set -euo pipefail

wanted=${1:-all}
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
suite=bookworm
start_seconds=300

[ "$(id -u)" = 0 ] || { echo "test:fresh needs root: it makes a root file system" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "test:fresh needs debootstrap (apt-get install debootstrap)" >&2; exit 2; }

root=$(mktemp -d "${TMPDIR:-/tmp}/chancery-fresh-XXXXXX")
cleanup() {
  # The namespace's processes ended with it; its mounts did too.
  rm -rf --one-file-system "$root"
}
trap cleanup EXIT
# Unprivileged users, such as the one that PostgreSQL runs as, must reach files in it.
chmod 755 "$root"

mirror=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" 2>/dev/null | head -n 1)
echo "making a minimal Debian ($suite) in $root"
debootstrap --variant=minbase --include=ca-certificates,git,curl,procps,strace,libatomic1 "$suite" "$root" ${mirror:+"$mirror"} \
  >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; exit 1; }
rm -f "$root.log"

# Debian's own Node is older than 20: this machine's serves, with its npm and the libraries that it needs.
node=$(readlink -f "$(command -v node)")
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules"
cp "$node" "$root/usr/local/bin/node"
cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
# A machine behind a proxy that signs for the registries trusts that proxy's certificate.
for file in /etc/ssl/certs/ca-certificates.crt "${NODE_EXTRA_CA_CERTS:-}"; do
  [ -n "$file" ] && [ -e "$file" ] && mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"
done
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
  [ -e "$file" ] && cp "$file" "$root$file"
done

git clone --quiet --no-local "$repository" "$root/root/chancery"

inside() {
  # A PID namespace of its own: whatever a command leaves running ends with it. Its first process is bash, which reaps the
  # orphans; the last command would otherwise take bash's place, and orphans would stay as zombies.
  unshare --mount --pid --fork --kill-child chroot "$root" /usr/bin/env -i \
    HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin CI=true TMPDIR=/tmp \
    ${NODE_EXTRA_CA_CERTS:+"NODE_EXTRA_CA_CERTS=$NODE_EXTRA_CA_CERTS"} \
    /bin/bash -c "mount -t proc proc /proc; mount -t tmpfs tmpfs /dev/shm 2>/dev/null || { mkdir -p /dev/shm; mount -t tmpfs tmpfs /dev/shm; }; cd /root/chancery; $1; exit \$?"
}

failed=0
report() {
  if [ "$2" = 0 ]; then echo "✔ $1"; else echo "✖ $1 (ended with $2)"; failed=1; fi
}

if [ "$wanted" = all ] || [ "$wanted" = start ]; then
  how=0
  inside "npm start >/tmp/start.log 2>&1 & for i in \$(seq $start_seconds); do
      curl -sf http://127.0.0.1:8080/jwks.json && exit 0; kill -0 %1 || exit 1; sleep 1; done; exit 1" >/dev/null || how=$?
  [ "$how" = 0 ] || tail -n 30 "$root/tmp/start.log" >&2
  report 'npm start answers with its key set' "$how"
fi

if [ "$wanted" = all ] || [ "$wanted" = test ]; then
  how=0
  inside 'npm test' || how=$?
  report 'npm test passes' "$how"
fi

exit "$failed"
