import { hash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline/promises';
import { DEVELOPMENT_DIGEST_PREFIX } from '../config/rules.ts';
import { type Command, command, type OptionValues, type Surroundings } from './command.ts';
import { CommandFailure, calledWrongly, SettingsUnusable } from './failure.ts';
import { type Choices, configurationText, FILES } from './init-files.ts';
import { writeNewPrivately } from './private-file.ts';
import { JSON_OPTION, settingsFor } from './settings.ts';

const OPTIONS = {
  folder: {
    kind: 'text',
    value: 'FOLDER',
    default: '.',
    words: 'Names the folder of the new files. The command makes it if there is none.',
  },
  issuer: { kind: 'text', value: 'URL', words: 'Sets the issuer, for example https://op.example.com.' },
  storage: {
    kind: 'text',
    value: 'URL|@FILE',
    words:
      'Names the database: sqlite:PATH or postgres://…. `@FILE` reads the address from a file, because other users of the machine can see the command line. Without it, the database is `chancery.db` in the folder.',
  },
  listen: {
    kind: 'text',
    value: 'HOST:PORT',
    default: '127.0.0.1:8080',
    words: 'Sets the address that the server listens on.',
  },
  proxy: {
    kind: 'text',
    value: 'NETWORK',
    repeated: true,
    words: 'Names a network of the proxies in front of the server. Without it, 127.0.0.1/32.',
  },
  open: { kind: 'flag', words: 'Lets clients register themselves without a token.' },
  ...JSON_OPTION,
} as const;

const init = command({
  words: ['init'],
  summary: 'Write the configuration, the encryption key and a master token',
  description: [
    'The command writes `chancery.yaml` with comments, `encryption.key` and `master.token`, each readable by you only, checks them as a server would, and prints the next commands. With PostgreSQL, the address of the database is in a file of its own.',
    'On a terminal it asks for the issuer and the database if the options do not name them. Existing files are never replaced.',
  ],
  servers: 'The command uses no data of a server.',
  options: OPTIONS,
  environment: [],
  output: 'The files, then the next commands. With --json, one JSON object with `files` and `next`.',
  exits: { 1: 'A file is there already, or the settings are not valid: then no file was written.' },
  examples: [
    'chancery init --folder /etc/chancery --issuer https://op.example.com --storage sqlite:/var/lib/chancery/chancery.db',
    'chancery init --folder /etc/chancery --issuer https://op.example.com --storage @postgres-url --json',
  ],
  run: async (call) => await initialise(call),
});

interface InitCall extends Surroundings {
  readonly options: OptionValues<typeof OPTIONS>;
}

async function initialise(call: InitCall): Promise<number> {
  const folder = resolve(call.options.folder);
  const token = masterToken();
  const choices = await chosen(call, folder, hash('sha256', token, 'hex'));
  const files = filesOf(choices, token);
  const present = [...files.keys()].find((name) => existsSync(join(folder, name)));
  if (present !== undefined)
    throw new CommandFailure(`${join(folder, present)} is there already: nothing was written`);
  await requireValid(choices, call);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, text] of files) writeNewPrivately(join(folder, name), text);
  const next = nextCommands(choices, join(folder, FILES.configuration));
  const names = [...files.keys()].map((name) => join(folder, name));
  if (call.options.json) call.print(JSON.stringify({ files: names, next }));
  else {
    for (const name of names) call.print(`written: ${name}`);
    call.print(`Keep a copy of ${FILES.encryptionKey} elsewhere: without it the database is useless.`);
    call.print('Next:');
    for (const line of next) call.print(`  ${line}`);
  }
  return 0;
}

/** Returns a token that production takes: one of 65,536 random ones looks as if the development mode had printed it. */
function masterToken(): string {
  const token = randomBytes(32).toString('base64url');
  return hash('sha256', token, 'hex').startsWith(DEVELOPMENT_DIGEST_PREFIX) ? masterToken() : token;
}

/** Returns the files in the order in which they are written: the configuration last, so that it is there only if all are. */
function filesOf(choices: Choices, token: string): ReadonlyMap<string, string> {
  const { storage } = choices;
  return new Map([
    [FILES.encryptionKey, randomBytes(32).toString('hex')],
    [FILES.masterToken, token],
    ...(storage.startsWith('sqlite:') ? [] : ([[FILES.storageUrl, storage]] as const)),
    [FILES.configuration, configurationText(choices).trimEnd()],
  ]);
}

async function chosen({ options }: InitCall, folder: string, masterDigest: string): Promise<Choices> {
  const asking = process.stdin.isTTY && process.stderr.isTTY ? terminal() : undefined;
  try {
    const issuer = options.issuer ?? (await asking?.question('Issuer (https://…): '));
    if (issuer === undefined || issuer === '') throw calledWrongly('--issuer is missing');
    const usual = `sqlite:${join(folder, 'chancery.db')}`;
    const storage = options.storage ?? (await asking?.question(`Database [${usual}]: `)) ?? '';
    return {
      issuer: issuer.replace(/\/$/u, ''),
      storage: storage === '' ? usual : addressOf(storage),
      ...listenAddress(options.listen),
      proxies: options.proxy ?? ['127.0.0.1/32'],
      open: options.open,
      masterDigest,
    };
  } finally {
    asking?.close();
  }
}

const terminal = (): Interface => createInterface({ input: process.stdin, output: process.stderr });

const addressOf = (given: string): string =>
  given.startsWith('@') ? readFileSync(given.slice(1), 'utf8').trim() : given;

function listenAddress(given: string): Pick<Choices, 'host' | 'port'> {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/u.exec(given) ?? [];
  if (port === '') throw calledWrongly(`--listen must be HOST:PORT, found ${JSON.stringify(given)}`);
  return { host: host.replace(/^\[|\]$/gu, ''), port: Number(port) };
}

/** Checks the choices by the rules of the settings, before anything is written. */
async function requireValid(choices: Choices, call: Surroundings): Promise<void> {
  const { issuer, storage, host, port, proxies, masterDigest } = choices;
  const environment = {
    CHANCERY_ISSUER: issuer,
    CHANCERY_STORAGE_URL: storage,
    CHANCERY_LISTEN_HOST: host,
    CHANCERY_LISTEN_PORT: String(port),
    CHANCERY_LISTEN_TRUSTED_PROXIES: proxies.join(','),
    CHANCERY_ENCRYPTION_KEY: '01'.repeat(32),
    CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: masterDigest,
  };
  try {
    await settingsFor('production', { ...call, environment, options: { config: undefined } });
  } catch (failure) {
    if (!(failure instanceof SettingsUnusable)) throw failure;
    const [first] = failure.problems;
    throw first === undefined ? failure : new CommandFailure(`${first.path}: ${first.rule}`);
  }
}

function nextCommands({ storage }: Choices, configuration: string): readonly string[] {
  const config = `--config ${configuration}`;
  const isFile = storage.startsWith('sqlite:');
  return [
    `chancery config check ${config}`,
    isFile
      ? `chancery serve ${config} --create`
      : `chancery migrate up ${config} && chancery serve ${config}`,
    `chancery clients create ${config} --name Demo --redirect-uri https://app.example.com/callback`,
  ];
}

export const INIT_COMMANDS: readonly Command[] = [init];
