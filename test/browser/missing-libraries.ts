import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The npm Chromium brings every other library. The runtime's own `libatomic.so.1` is there when this runs. */
const DEBIAN_PACKAGES: Readonly<Record<string, string>> = { 'libsqlite3.so.0': 'libsqlite3-0' };

const DOWNLOAD_TIMEOUT_MS = 120_000;

/**
 * Returns the shared libraries that files in a folder need and the system lacks, for instance `libsqlite3.so.0`.
 * Chromium opens some of its libraries only when it loads a page, so a missing one crashes pages and not the start.
 */
export async function missingLibraries(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const files = [join(folder, 'chromium'), ...librariesIn(join(folder, 'lib'))];
  const { stdout } = await run('ldd', files, { env: { ...process.env, ...environment } });
  const missing = [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, name = '']) => name);
  return [...new Set(missing)].sort();
}

/** Returns one line that names each missing library and the Debian package that brings it. */
export function missingLibrariesMessage(missing: readonly string[]): string {
  const packages = missing.flatMap((name) => DEBIAN_PACKAGES[name] ?? []);
  const remedy =
    packages.length === 0 ? '' : ` (on Debian and Ubuntu: apt-get install ${packages.join(' ')})`;
  return `the npm Chromium needs ${missing.join(', ')}, which this system lacks${remedy}`;
}

/**
 * Fetches the Debian packages of missing libraries and puts the libraries into a folder, without installing anything and
 * without rights. Lists and cache are apt's own, in a scratch folder.
 * @throws Error when apt is absent, does not know the package, or reaches no mirror
 */
export async function fetchLibraries(missing: readonly string[], target: string): Promise<void> {
  const packages = missing.flatMap((name) => DEBIAN_PACKAGES[name] ?? []);
  if (packages.length === 0) return;
  const scratch = mkdtempSync(join(tmpdir(), 'chancery-apt-'));
  try {
    for (const name of ['state/lists/partial', 'cache/archives/partial', 'unpacked'])
      mkdirSync(join(scratch, name), { recursive: true });
    const own = [
      ['APT::Sandbox::User', process.getuid?.() === 0 ? 'root' : ''],
      ['Dir::State', join(scratch, 'state')],
      ['Dir::Cache', join(scratch, 'cache')],
    ].flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const options = { cwd: scratch, timeout: DOWNLOAD_TIMEOUT_MS };
    await run('apt-get', ['-qq', ...own, 'update'], options);
    await run('apt-get', ['-qq', ...own, 'download', ...packages], options);
    for (const archive of readdirSync(scratch).filter((name) => name.endsWith('.deb')))
      await run('dpkg-deb', ['-x', join(scratch, archive), join(scratch, 'unpacked')], options);
    for (const name of missing) await copyLibrary(join(scratch, 'unpacked'), name, target);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Follows the link that the package has under the library's name. */
async function copyLibrary(unpacked: string, name: string, target: string): Promise<void> {
  const found = readdirSync(unpacked, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith(`/${name}`),
  );
  if (found !== undefined) await run('cp', ['-L', join(unpacked, found), join(target, name)]);
}

function librariesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /\.so(\.|$)/.test(name))
    .map((name) => join(folder, name));
}
