#!/usr/bin/env bash
# npm run test:container: builds the container image, and runs it without a daemon: its root read-only, its user, its settings, a network of its own.
#
# Needs root, buildah, debootstrap, curl and ip. Reaches only the package mirror that this machine is set up for: the base of the image is made here.
set -euo pipefail

repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
suite=bookworm
# The bar of the product, in octets, for the compressed layers.
compressed_max=95000000

[ "$(id -u)" = 0 ] || { echo "test:container needs root: it makes a root file system" >&2; exit 2; }
for tool in buildah debootstrap curl ip; do
  command -v "$tool" >/dev/null || { echo "test:container needs $tool (apt-get install buildah debootstrap curl iproute2)" >&2; exit 2; }
done

place=$(mktemp -d "${TMPDIR:-/tmp}/chancery-container-XXXXXX")
trap 'rm -rf --one-file-system "$place"' EXIT
cd "$repository"
own_buildah() { buildah --root "$place/store" --runroot "$place/run" --storage-driver vfs "$@"; }
# Shows the end of a command's output if it fails.
quietly() { "$@" >"$place/said" 2>&1 || { tail -n 20 "$place/said" >&2; exit 1; }; }

mirror=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" 2>/dev/null | head -n 1)
echo "making a minimal Debian ($suite) as the base of the image in $place"
quietly debootstrap --variant=minbase --include=ca-certificates,libatomic1 "$suite" "$place/debian" ${mirror:+"$mirror"}
base=$(own_buildah from scratch)
quietly own_buildah copy "$base" "$place/debian" /
quietly own_buildah commit --rm "$base" localhost/base
rm -rf --one-file-system "$place/debian"

echo 'building the image'
quietly node bin/tool.mjs tools/build.ts
quietly own_buildah bud --isolation chroot --format docker --pull-never --build-arg BASE=localhost/base \
  -f deploy/container/Containerfile -t localhost/chancery .
health=$(own_buildah inspect --type image --format '{{.Docker.Config.Healthcheck.Test}}' localhost/chancery 2>/dev/null) || health=none
quietly own_buildah push localhost/chancery "oci:$place/image:chancery"

# Writes the layers' sizes, the layers, and the settings of the image for the shell.
node --input-type=commonjs - "$place" >"$place/image.sh" <<'N'
const { readFileSync } = require('node:fs');
const image = `${process.argv[2]}/image`;
const blob = ({ digest }) => `${image}/blobs/${digest.replace(':', '/')}`;
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const manifest = read(blob(read(`${image}/index.json`).manifests[0]));
const { config } = read(blob(manifest.config));
const list = (words) => `(${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')})`;
console.log(`compressed=${manifest.layers.reduce((sum, { size }) => sum + size, 0)}`);
console.log(`layers=${list(manifest.layers.map(blob))}`);
console.log(`environment=${list(config.Env)}`);
console.log(`program=${list(config.Entrypoint)}`);
console.log(`words=${list(config.Cmd)}`);
console.log(`user='${config.User}'; folder='${config.WorkingDir}'; signal='${config.StopSignal}'`);
console.log(`labels=${list(Object.keys(config.Labels))}`);
N
. "$place/image.sh"
root=$place/root
mkdir "$root" "$place/data"
for layer in "${layers[@]}"; do tar -xzf "$layer" -C "$root" --numeric-owner; done
echo "$(((compressed + 500000) / 1000000)) MB: the image, compressed ($compressed octets; $(du -sm "$root" | cut -f1) MB unpacked)"

# The functions below run in namespaces of their own, with the programs of this machine: the image has no shell.

# Mounts what a container runtime mounts: the root read-only, /proc, five devices, and the data.
prepare() {
  ip link set lo up
  ip address add 192.0.2.7/32 dev lo
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for node in null zero full random urandom; do
    touch "$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
  done
  mount --bind "$place/data" "$root/var/lib/chancery"
  mount --bind "$place/secrets" "$root/run/secrets"
  mount -o remount,bind,ro "$root"
  mount -o remount,ro "$root/dev"
}

# Runs the image's program as its user, without any right, with the given variables and then words.
run() {
  local own=()
  while [[ ${1:-} == *=* ]]; do own+=("$1"); shift; done
  exec env -i "${environment[@]}" "${own[@]}" "$(command -v setpriv)" --no-new-privs --bounding-set=-all,+sys_chroot,+setuid,+setgid -- \
    "$(command -v unshare)" --root="$root" --wd="$folder" --setuid="${user%:*}" --setgid="${user#*:}" -- "${program[@]}" "$@"
}

# Starts the server with the given words, and waits until it is ready.
start() {
  run "${settings[@]}" "$@" >"$place/log" 2>&1 &
  server=$!
  for _ in $(seq 120); do
    curl -sf http://192.0.2.7:9090/health/ready >/dev/null && return
    kill -0 "$server" || break
    sleep 0.5
  done
  cat "$place/log"
  return 1
}

# Stops the server as a container runtime does, and fails if it is not gone with 0 when the runtime would kill it.
stop() {
  (sleep 10; kill -KILL "$server") 2>/dev/null &
  kill -"$signal" "$server"
  wait "$server"
}

settings=(CHANCERY_ISSUER=https://op.example.com CHANCERY_STORAGE_URL=sqlite:/var/lib/chancery/chancery.db
  CHANCERY_ENCRYPTION_KEY_FILE=/run/secrets/encryption-key)

# The checks have pipefail. grep reads to the end in them: after grep -q, the program before it fails at a closed pipe.
inside() {
  unshare --mount --net --pid --fork --kill-child --mount-proc bash -uo pipefail -c \
    "$(declare -f prepare run start stop); $(declare -p place root settings); . $place/image.sh; set -e; prepare; $1"
}

failed=0
check() {
  local how=0
  inside "$2" >"$place/out" 2>&1 || how=$?
  if [ "$how" = 0 ]; then echo "✔ $1"; else echo "✖ $1 (ended with $how)"; tail -n 20 "$place/out" >&2; failed=1; fi
}

mkdir "$place/secrets" "$root"/{proc,dev,run,run/secrets}
chown "$user" "$place/data"
(umask 077 && od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$place/secrets/encryption-key")
chown "$user" "$place/secrets/encryption-key"
chmod 711 "$place"

check "the image has at most $((compressed_max / 1000000)) MB compressed" "test $compressed -le $compressed_max"
check 'it has a health command, labels, a user without rights, and no shell' \
  "test '$health' = '[CMD ${program[*]} health]'
   for label in title description version licenses; do printf '%s\n' \"\${labels[@]}\" | grep -qx \"org.opencontainers.image.\$label\"; done
   test \"\$user\" = 10001:10001; test ! -e $root/bin; test ! -e $root/usr/bin"
check 'no file and no variable in it is a key' \
  "test -z \"\$(find $root -xdev -path $root/run -prune -o \( -name '*.key' -o -name '*encryption*' -o -name '*.token' \) -print)\"
   printf '%s\n' \"\${environment[@]}\" | grep -Eq '^CHANCERY_[A-Z_]*(KEY|TOKEN|SECRET)' && exit 1 || :"
check 'no file in it can be changed by its user, except below /var/lib/chancery and /tmp' \
  "test -z \"\$(find $root -xdev \( -path $root/var/lib/chancery -o -path $root/tmp -o -path $root/run \) -prune -o ! -type l \( -uid \${user%:*} -o -gid \${user#*:} -o -perm /022 \) -print)\""
check 'without an encryption key it does not start, and says so' \
  'how=0; (run CHANCERY_ISSUER=https://op.example.com "${words[@]}") >"$place/said" 2>&1 || how=$?
   test "$how" = 1; grep -q "^encryption.key: " "$place/said"'
check 'on a read-only root it starts, answers on every address, as its user and without rights' \
  'start "${words[@]}" --create
   curl -sf http://192.0.2.7:8080/jwks.json | grep kid >/dev/null
   curl -sf http://127.0.0.1:8080/.well-known/openid-configuration | grep https://op.example.com >/dev/null
   grep -Eq "^Uid:\s+10001\s+10001\s+10001\s+10001$" /proc/$server/status
   grep -Eq "^Groups:\s*$" /proc/$server/status
   grep -Eq "^CapEff:\s+0+$" /proc/$server/status
   grep -Eq "^NoNewPrivs:\s+1$" /proc/$server/status
   touch "$root/tmp/x" && exit 1
   stop'
check 'its health command ends with 0 while the server serves, and with 1 before and after' \
  'how=0; (run "${settings[@]}" health) || how=$?; test "$how" = 1
   start "${words[@]}"
   (run "${settings[@]}" health --json) | grep "\"serves\":true" >/dev/null
   stop
   how=0; (run "${settings[@]}" health) || how=$?; test "$how" = 1'
check 'commands work on the data of a running server, and the data outlives the container' \
  'start "${words[@]}"
   (run "${settings[@]}" clients create --name Kept --id kept --json) >/dev/null
   stop
   (run "${settings[@]}" clients show kept) | grep Kept >/dev/null'
check 'SIGTERM ends it with 0 within seconds, with workers too' \
  'start "${words[@]}"; stop
   start "${words[@]}" --workers 2; stop
   grep -q "\"level\":\"error\"" "$place/log" && exit 1 || :'
check 'its management listener serves the console, with workers too' \
  'settings+=(CHANCERY_CONSOLE_ENABLED=true)
   start "${words[@]}" --workers 2
   script=$(curl -sfL http://192.0.2.7:9090/console | grep -o "files/[^\"]*\.js" | tail -n 1)
   curl -sf "http://192.0.2.7:9090/console/$script" | grep code_challenge >/dev/null
   test "$(curl -s -o "$place/said" -w "%{http_code}" http://192.0.2.7:9090/admin/v1/clients)" = 401
   stop'
check 'it runs as a user that the image does not know, as some container platforms choose one' \
  'user=54321:10001; chmod 640 "$place/secrets/encryption-key"
   (run "${settings[@]}" config check) | grep "The settings are good" >/dev/null
   (run version) | grep "^chancery " >/dev/null'
check 'it writes nowhere but into /var/lib/chancery' \
  'test -z "$(find "$root" -xdev \( -path "$root/run" -o -path "$root/var/lib/chancery" \) -prune -o -newer "$place/image.sh" -type f -print)"
   test -z "$(find "$root/var/lib/chancery" ! -name "chancery.db*" -type f -print)"'
exit "$failed"
