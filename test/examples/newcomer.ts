import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, type Ended } from '../journeys/command.ts';
import { REPOSITORY } from '../journeys/launcher.ts';
import { endedWithTests } from '../program/children.ts';
import { freePort } from '../program/free-port.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';

/** A person who pastes blocks of documents into terminals, in a checkout without data. */
export interface Newcomer {
  readonly folder: string;
  readonly issuer: string;
  /** The addresses of the website, of the federation's entities, of the sign-in page and of the MCP server. */
  readonly website: string;
  readonly entities: string;
  readonly signInPage: string;
  readonly mcpServer: string;
  readonly managementUrl: string;
  /** Name and password, as `npm start` printed them. */
  account(): { readonly username: string; readonly password: string };
  /** Pastes a command, and returns what it printed to standard output. It must end with 0. */
  paste(words: string): Promise<string>;
  /** Pastes a command that must fail, and returns what it printed to standard error. */
  fail(words: string): Promise<string>;
  /** Pastes a command that runs until it is stopped, into a terminal of its own, and waits for its words. */
  open(words: string, ready: RegExp): Promise<Terminal>;
  /** Closes all terminals and removes the folder. */
  leave(): Promise<void>;
}

export interface Terminal {
  /** Everything printed so far. */
  readonly printed: string;
  /** Presses Ctrl-C, and waits for the end. */
  stop(): Promise<void>;
}

/** Finds the values that a newcomer copies out of a terminal, by the names that stand for them in the documents. */
const COPIED: Readonly<Record<string, RegExp>> = {
  INITIAL_ACCESS_TOKEN: /^ *initial access token +(\S+)$/imu,
  DIRECT_AUTHORISATION_TOKEN: /^ *Direct authorisation token +(\S+)$/mu,
  ADMINISTRATION_TOKEN: /^ *Administration token +(\S+)$/mu,
  CLIENT_ID: /"client_id": ?"([^"]+)"/u,
  CLIENT_SECRET: /"client_secret": ?"([^"]+)"/u,
  ACCESS_TOKEN: /"access_token": ?"([^"]+)"/u,
  USERNAME: /Account \(name, password\) +(\S+) +\S+$/mu,
  PASSWORD: /Account \(name, password\) +\S+ +(\S+)$/mu,
};
const GOOD_FOR_ONCE = 'INITIAL_ACCESS_TOKEN';

export async function newcomer(): Promise<Newcomer> {
  const folder = checkout();
  const [port, website, entities, signInPage, mcpServer, management] = await Promise.all(
    Array.from({ length: 6 }, freePort),
  );
  const issuer = `http://127.0.0.1:${port}`;
  const environment = {
    HOME: join(folder, 'home'),
    PATH: `${join(folder, 'home')}:${process.env['PATH']}`,
    CHANCERY_MANAGEMENT_LISTEN_PORT: String(management),
  };
  const copied = new Map<string, string>();
  const terminals = new Set<Terminal>();

  const look = (printed: string): void => {
    for (const [name, pattern] of Object.entries(COPIED)) {
      const value = pattern.exec(printed)?.[1];
      if (value !== undefined) copied.set(name, value);
    }
  };

  /** Puts in the copied values, and the ports of this machine by the options that the documents name. */
  function adapted(words: string): string {
    const own = words
      .replace(/npm start(?: -- --port 9000| --|(?= |$))/gmu, `npm start -- --port ${port}`)
      .replace('--federation ', `--federation --federation-port ${entities} `)
      .replace('npm run website --', `npm run website -- --issuer ${issuer} --port ${website}`)
      .replace('sign-in-page.mjs', `sign-in-page.mjs --issuer ${issuer} --port ${signInPage}`)
      .replace('mcp-server.mjs', `mcp-server.mjs --issuer ${issuer} --port ${mcpServer}`)
      .replace('chancery init ', `chancery init --listen 127.0.0.1:${port} `)
      .replaceAll(/\/etc\/chancery|\/var\/lib\/chancery/gu, folder)
      .replaceAll('http://127.0.0.1:8080', issuer)
      .replaceAll('http://127.0.0.1:9090', `http://127.0.0.1:${management}`)
      .replaceAll('http://127.0.0.1:8091', `http://127.0.0.1:${entities}`)
      .replaceAll('http://localhost:8092', `http://localhost:${signInPage}`);
    return Object.keys(COPIED).reduce((text, name) => {
      const place = new RegExp(`\\b${name}\\b`, 'gu');
      if (!place.test(text)) return text;
      const value = copied.get(name);
      assert.ok(value !== undefined, `nothing printed a fresh ${name} for:\n${words}`);
      if (name === GOOD_FOR_ONCE) copied.delete(name);
      return text.replaceAll(place, value);
    }, own);
  }

  const run = async (words: string): Promise<Ended> =>
    await command('bash', ['-c', adapted(words)], environment, { folder });

  return {
    folder,
    issuer,
    website: `http://localhost:${website}`,
    entities: `http://127.0.0.1:${entities}`,
    signInPage: `http://localhost:${signInPage}`,
    mcpServer: `http://127.0.0.1:${mcpServer}`,
    managementUrl: `http://127.0.0.1:${management}`,
    account: () => ({ username: copied.get('USERNAME') ?? '', password: copied.get('PASSWORD') ?? '' }),
    async paste(words) {
      const { how, stdout, stderr } = await run(words);
      assert.equal(how, 0, `${words}\n${stdout}${stderr}`);
      look(stdout);
      return stdout;
    },
    async fail(words) {
      const { how, stdout, stderr } = await run(words);
      assert.notEqual(how, 0, `${words}\n${stdout}${stderr}`);
      return stderr;
    },
    async open(words, ready) {
      const terminal = await opened(adapted(words), { folder, environment, ready });
      terminals.add(terminal);
      look(terminal.printed);
      return terminal;
    },
    async leave() {
      for (const terminal of terminals) await terminal.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes a folder that looks like a checkout: links to what is in this one, but no data. `chancery` is in the PATH, as after an installation. */
function checkout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-newcomer-'));
  for (const name of readdirSync(REPOSITORY).filter((name) => !/^(?:\.git|\.cache|data|dist.*)$/u.test(name)))
    symlinkSync(join(REPOSITORY, name), join(folder, name));
  mkdirSync(join(folder, 'home'));
  const installed = join(folder, 'home/chancery');
  writeFileSync(
    installed,
    `#!/bin/sh\nexec '${process.execPath}' '${join(REPOSITORY, 'bin/chancery.mjs')}' "$@"\n`,
  );
  chmodSync(installed, 0o755);
  return folder;
}

const READY_TIMEOUT_MS = 60_000;

async function opened(
  words: string,
  { folder, environment, ready }: { folder: string; environment: Record<string, string>; ready: RegExp },
): Promise<Terminal> {
  const child = endedWithTests(
    spawn('bash', ['-c', words], {
      cwd: folder,
      env: { ...inheritedEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own group, which gets Ctrl-C as a whole.
      detached: true,
    }),
  );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      if (ready.test(printed)) resolve();
    });
  }
  const ended = once(child, 'close');
  child.once('close', (code) => reject(new Error(`${words}\nended with ${code}:\n${printed}`)));
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGINT');
    await ended;
  };
  const deadline = setTimeout(() => {
    reject(new Error(`${words}\ndid not print ${String(ready)}:\n${printed}`));
    void stop();
  }, READY_TIMEOUT_MS);
  try {
    await promise;
  } finally {
    clearTimeout(deadline);
  }
  return {
    get printed() {
      return printed;
    },
    stop,
  };
}
