import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, type Ended } from '../journeys/command.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import { endedWithTests } from '../program/children.ts';
import { freePort } from '../program/free-port.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';
import { ENCRYPTION_KEY, type Program } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';

/** The issuer of `npm start`, which the examples and their README name. */
const DEFAULT_ISSUER = 'http://127.0.0.1:8080';
const READY_TIMEOUT_MS = 60_000;

/** An example that was started with the commands of its README. */
export interface StartedExample {
  /** Its address, on a free port. */
  readonly origin: string;
  /** Executes a command of README below the first three, and returns what it printed. */
  readonly run: (words: string) => Promise<string>;
  readonly output: () => string;
  stop(): Promise<void>;
}

/** Returns the commands of README: each block of shell, line by line. */
export function commandsOf(folder: string): readonly (readonly string[])[] {
  const readme = readFileSync(join(REPOSITORY, 'examples', folder, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gmu)].map(([, block = '']) => block.trim().split('\n'));
}

/** Returns the second and the third of the three commands of a README: they register and start. The first one installs. */
function threeCommands(folder: string, install: string): readonly [string, string] {
  const [first, register, start] = commandsOf(folder).find((block) => block.length === 3) ?? [];
  if (first !== install || register === undefined || start === undefined)
    throw new Error(`examples/${folder}/README.md has no three commands, the first ${install}`);
  return [register, start];
}

/**
 * Executes the three commands of an example's README in the repository, beside a development server. Three things differ
 * from README: the issuer, the port, and the files with credentials, which are in a folder of the test. The packages must
 * be installed: that is the first command.
 */
export async function startAsReadmeSays(program: Program, folder: string): Promise<StartedExample> {
  const [register, start] = threeCommands(folder, 'npm ci --prefix examples');
  const source = readFileSync(join(REPOSITORY, start.split(' ')[1] ?? ''), 'utf8');
  const place = await placeFor(program, /port: \{ type: 'string', default: '(\d+)' \}/u.exec(source)?.[1]);
  await place.run(register);
  const line = `${start} --issuer ${program.issuer} --port ${place.port}`;
  return await started(line.replace('data/', `${place.files}/`), place);
}

/** Does the same for `examples/nginx`. Its files have no options: they are copied with the other issuer and ports. */
export async function startNginxAsReadmeSays(program: Program): Promise<StartedExample> {
  const [register, start] = threeCommands('nginx', 'apt-get install nginx libnginx-mod-http-js');
  const place = await placeFor(program, '9004');
  const ports = { 9004: place.port, 9014: await freePort() };
  const folder = join(REPOSITORY, 'examples/nginx');
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8')
      .replaceAll(DEFAULT_ISSUER, program.issuer)
      .replaceAll(/\b90[01]4\b/gu, (port) => String(ports[port as '9004' | '9014']))
      .replaceAll(/\/tmp\/|\.\.\/\.\.\/data\//gu, `${place.files}/`);
    writeFileSync(join(place.files, file), text);
  }
  await place.run(register);
  return await started(start.replace('examples/nginx', place.files), place);
}

/** A folder and a port for one example, and a shell that uses them in place of those in README. */
interface Place {
  readonly files: string;
  readonly port: number;
  readonly origin: string;
  readonly run: (words: string) => Promise<string>;
}

async function placeFor(program: Program, defaultPort: string | undefined): Promise<Place> {
  if (defaultPort === undefined) throw new Error('the example has no default port');
  const files = mkdtempSync(join(tmpdir(), 'chancery-example-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const run = async (words: string): Promise<string> => {
    const adapted = words
      .replaceAll(/examples\/[\w-]+\/[\w-]+\.json/gu, (path) => copied(program, path, files))
      .replaceAll(/\bdata\//gu, `${files}/`)
      .replaceAll(`http://127.0.0.1:${defaultPort}`, origin);
    const { how, stdout, stderr } = await shell(program, adapted);
    if (how !== 0 || stderr !== '') throw new Error(`${words} ended with ${how}:\n${stdout}${stderr}`);
    return stdout;
  };
  return { files, port, origin, run };
}

/** Copies a JSON file of an example with the issuer of the test. */
function copied({ issuer }: Program, path: string, files: string): string {
  const place = join(files, path.replaceAll('/', '-'));
  writeFileSync(place, readFileSync(join(REPOSITORY, path), 'utf8').replaceAll(DEFAULT_ISSUER, issuer));
  return place;
}

/** Executes a line of shell in the repository, with the settings of the development server. */
async function shell({ issuer, folder }: Program, line: string): Promise<Ended> {
  const environment = {
    CHANCERY_ISSUER: issuer,
    CHANCERY_STORAGE_URL: await storageUrl(folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  return await command('sh', ['-c', line], environment);
}

/** Starts a line of shell, and waits until the example answers at the place's port. */
async function started(line: string, { origin, run, files }: Place): Promise<StartedExample> {
  const child = endedWithTests(
    spawn('sh', ['-c', `exec ${line}`], {
      cwd: REPOSITORY,
      env: inheritedEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const exited = once(child, 'close');
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await isUp(origin))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${line}: not at ${origin}\n${output}`);
    }
    await sleep(30);
  }
  return {
    origin,
    run,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(files, { recursive: true });
    },
  };
}

/** Tells the example from another server that took the port first: it knows its own address (RFC 9728 §2). */
async function isUp(origin: string): Promise<boolean> {
  for (const path of ['', '/mcp']) {
    const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`).catch(
      () => undefined,
    );
    const text = await answer?.text();
    if (answer?.status === 200 && text?.includes(`"resource":"${origin}${path}"`) === true) return true;
  }
  return false;
}
