// Installs the packages of a folder beside those that are there, and puts them in their place once they are whole.
// Plain JavaScript for Node 20, without dependencies: nothing is there yet when it runs.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installedPackages, lockedPackages, missingPackages } from './installed.mjs';

const PROGRESS_MS = 500;

/**
 * Installs the packages that package-lock.json names and node_modules lacks. The packages that are there stay in use until npm has
 * ended well, and for good if npm fails.
 *
 * @param {string} folder an absolute path
 * @param {{ tools: boolean }} wanted whether the packages for development are needed too
 * @returns {Promise<string | undefined>} why it failed; npm has printed its own reason
 */
export async function install(folder, { tools }) {
  if (missingPackages(folder, { tools }).length === 0) return undefined;
  const before = Object.values(installedPackages(folder));
  // Tools that were there are needed again: a changed lock file must not remove them.
  const all = tools || before.some(({ dev }) => dev);
  const fresh = join(folder, `.cache/install-${process.pid}`);
  try {
    layOut(folder, fresh);
    const failure = await npmCi(fresh, all ? [] : ['--omit=dev']);
    if (failure !== undefined) return failure;
    takePlace(join(fresh, 'node_modules'), join(folder, 'node_modules'), join(fresh, 'former'));
    return undefined;
  } catch (failure) {
    if (typeof failure.code !== 'string') throw failure;
    return `the packages of ${folder} cannot be replaced (${failure.code}): run npm ci there as its owner`;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Copies what npm reads: the two files, its settings, and the package.json of each package that is a folder here. */
function layOut(folder, fresh) {
  mkdirSync(fresh, { recursive: true });
  const own = Object.keys(lockedPackages(folder)).filter((place) => !place.includes('node_modules/'));
  const files = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    ...own.map((place) => join(place, 'package.json')),
  ];
  for (const file of files.filter((name) => existsSync(join(folder, name)))) {
    mkdirSync(dirname(join(fresh, file)), { recursive: true });
    cpSync(join(folder, file), join(fresh, file));
  }
}

/** Swaps the folders. Caches of the tools, such as an unpacked browser, move on. */
function takePlace(fresh, place, former) {
  if (existsSync(place)) {
    if (existsSync(join(place, '.cache')) && !existsSync(join(fresh, '.cache')))
      renameSync(join(place, '.cache'), join(fresh, '.cache'));
    renameSync(place, former);
  }
  // A lock file that names no package leaves no folder behind.
  mkdirSync(fresh, { recursive: true });
  try {
    renameSync(fresh, place);
  } catch (failure) {
    if (existsSync(former)) renameSync(former, place);
    throw failure;
  }
}

async function npmCi(folder, more) {
  // At this level npm names each package that it has fetched.
  const words = [
    'ci',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--no-progress',
    '--loglevel=http',
    ...more,
  ];
  const npm = process.env.npm_execpath;
  const options = { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] };
  const child = npm?.endsWith('.js')
    ? spawn(process.execPath, [npm, ...words], options)
    : spawn('npm', words, options);
  const progress = showProgress();
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
    progress.fetched(said.match(/^npm http (?:fetch|cache) .*\.tgz\b/gmu)?.length ?? 0);
  });
  const how = await new Promise((resolve) => {
    child.on('error', (failure) => resolve(failure.message));
    child.on('close', (code, signal) => resolve(code ?? signal));
  });
  progress.end();
  if (how === 0) return undefined;
  process.stderr.write(said.replaceAll(/^npm http .*\n/gmu, ''));
  return `npm ci ended with ${how}; its reason stands above. The packages that were installed before are unchanged`;
}

/** Shows a person who waits how many packages have come: a line that changes on a terminal, elsewhere one line at each end. */
function showProgress() {
  const start = performance.now();
  const isTerminal = process.stderr.isTTY;
  let count = 0;
  const line = () => {
    const seconds = Math.round((performance.now() - start) / 1000);
    return `chancery: installing the packages of package-lock.json: ${count} fetched, ${seconds} s`;
  };
  const show = () => process.stderr.write(`\r${line()}`);
  if (!isTerminal) process.stderr.write('chancery: installing the packages of package-lock.json …\n');
  const timer = isTerminal ? setInterval(show, PROGRESS_MS) : undefined;
  return {
    fetched(number) {
      count = number;
    },
    end() {
      clearInterval(timer);
      process.stderr.write(isTerminal ? `\r${line()}\n` : `${line()}\n`);
    },
  };
}
