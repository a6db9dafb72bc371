#!/usr/bin/env bash
# npm run test:debian: builds the Debian package twice, as two versions, and installs, upgrades and removes it on a minimal Debian.
#
# Needs root, debootstrap and curl. Reaches only the package mirror that this machine is set up for.
set -euo pipefail

repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
suite=bookworm

[ "$(id -u)" = 0 ] || { echo "test:debian needs root: it makes a root file system" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "test:debian needs debootstrap (apt-get install debootstrap)" >&2; exit 2; }

root=$(mktemp -d "${TMPDIR:-/tmp}/chancery-debian-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
chmod 755 "$root"
mirror=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" 2>/dev/null | head -n 1)
echo "making a minimal Debian ($suite) in $root"
debootstrap --variant=minbase --include=curl,libatomic1,procps "$suite" "$root" ${mirror:+"$mirror"} \
  >"$root.log" 2>&1 || { tail -n 20 "$root.log" >&2; exit 1; }
rm -f "$root.log"

cd "$repository"
first=$(node bin/tool.mjs tools/debian.ts --out "$root/packages" --version 0.1.0~1)
second=$(node bin/tool.mjs tools/debian.ts --out "$root/packages" --version 0.1.0~2)
du -m "$first" | cut -f1 | sed 's/$/ MB: the package/'

inside() {
  unshare --mount --pid --fork --kill-child chroot "$root" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin \
    /bin/bash -euc "mount -t proc proc /proc; mount -t tmpfs tmpfs /dev/shm 2>/dev/null || :; $1"
}

failed=0
check() {
  local how=0
  inside "$2" >"$root/tmp/out" 2>&1 || how=$?
  if [ "$how" = 0 ]; then echo "✔ $1"; else echo "✖ $1 (ended with $how)"; tail -n 20 "$root/tmp/out" >&2; failed=1; fi
}

# Runs the server as the unit does: as its user, with its paths.
serve='setpriv --reuid chancery --regid chancery --clear-groups -- /usr/bin/chancery serve --config /etc/chancery/chancery.yaml'
ready='for i in $(seq 60); do curl -sf http://127.0.0.1:9090/health/ready >/dev/null && break; kill -0 $server; sleep 0.5; done'

check 'it installs, and says what to do next' \
  "dpkg -i /packages/${first##*/} | tee /tmp/said; grep -q 'set issuer in' /tmp/said"
check 'the key is readable by root and the group alone' \
  'test "$(stat -c %a:%U:%G /etc/chancery/encryption.key)" = 640:root:chancery'
check 'the data folder belongs to the user alone' \
  'test "$(stat -c %a:%U /var/lib/chancery)" = 700:chancery'
check 'without an issuer the configuration is refused with a line that names it' \
  'chancery config check --config /etc/chancery/chancery.yaml 2>/tmp/said && exit 1; grep -q "^issuer: must be set" /tmp/said'
check 'with an issuer the server starts as its user, and answers' \
  "sed -i 's|^# issuer:.*|issuer: https://op.example.com|' /etc/chancery/chancery.yaml
   $serve >/tmp/log 2>&1 & server=\$!; $ready
   curl -sf http://127.0.0.1:8080/jwks.json | grep -q kid
   test \"\$(ps -o user= -p \$server)\" = chancery
   setpriv --reuid chancery --regid chancery --clear-groups -- chancery clients create --config /etc/chancery/chancery.yaml --name Kept --id kept --json >/dev/null
   kill \$server; wait \$server"
cp "$root/etc/chancery/encryption.key" "$root/tmp/key-before"
check 'an upgrade looks at the database, keeps key, configuration and data' \
  "dpkg -i /packages/${second##*/} | tee /tmp/said; grep -q 'the settings are valid' /tmp/said
   cmp /tmp/key-before /etc/chancery/encryption.key
   setpriv --reuid chancery --regid chancery --clear-groups -- chancery clients show kept --config /etc/chancery/chancery.yaml | grep -q Kept"
check 'its management listener serves the console, with the script of the package' \
  "CHANCERY_CONSOLE_ENABLED=true $serve >/tmp/log 2>&1 & server=\$!; $ready
   script=\$(curl -sfL http://127.0.0.1:9090/console | grep -o 'files/[^\"]*\.js' | tail -n 1)
   curl -sf http://127.0.0.1:9090/console/\$script | grep -q code_challenge
   kill \$server; wait \$server"
check 'an upgrade whose schema needs servers to stop changes nothing, and says so' \
  "cp /var/lib/chancery/chancery.db /tmp/whole.db
   cat >/tmp/old.mjs <<'M'
import { DatabaseSync } from 'node:sqlite';
new DatabaseSync('/var/lib/chancery/chancery.db').exec('DELETE FROM schema_migration WHERE version > 1');
M
   /usr/lib/chancery/node_modules/*/bin/node /tmp/old.mjs
   dpkg -i /packages/${second##*/} >/tmp/said 2>&1; grep -q 'the upgrade needs you' /tmp/said; grep -q 'must be stopped' /tmp/said
   cp /tmp/whole.db /var/lib/chancery/chancery.db; chown chancery:chancery /var/lib/chancery/chancery.db*"
check 'a removal keeps configuration, key and data' \
  'dpkg -r chancery; test -e /etc/chancery/encryption.key; test -e /var/lib/chancery/chancery.db; test ! -e /usr/bin/chancery'
check 'a purge removes them, and the user' \
  'dpkg -P chancery; test ! -e /etc/chancery; test ! -e /var/lib/chancery; ! getent passwd chancery'
exit "$failed"
