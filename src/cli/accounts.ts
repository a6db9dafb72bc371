import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { StoredAccount } from '../ports/account-store.ts';
import type { StoredSession } from '../ports/session-store.ts';
import { claimType } from '../sessions/account-claims.ts';
import {
  type AccountActor,
  addAccount,
  changeAccount,
  deleteAccount,
  setDisabled,
  setPassword,
} from '../sessions/manage-account.ts';
import { ADMIN_ROLES } from '../spec/admin-scopes.ts';
import { NotFound } from '../spec/errors.ts';
import type { LoginName } from '../spec/identifiers.ts';
import { loginName } from '../spec/login-name.ts';
import { type Command, command, type Surroundings } from './command.ts';
import { CommandFailure, calledWrongly } from './failure.ts';
import { readLines } from './input.ts';
import type { RegistrySession } from './registry-session.ts';
import { ACTOR, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, type RegistryCall, SETTINGS_VARIABLES } from './settings.ts';
import { printFields, table, timeText } from './table.ts';

const PAGE = 100;
const HEADS = ['NAME', 'SUB', 'CREATED', 'STATE', 'ROLE'];

/** No password has more bytes. */
const LINE_BYTES_MAX = 4096;

const NAME = {
  name: { words: 'Names the account. Upper and lower case are equal (RFC 8265 §3.3).' },
} as const;

const PASSWORD_OPTION = {
  'password-stdin': {
    kind: 'flag',
    words: 'Reads the password from the first line of standard input instead of asking at the terminal.',
  },
} as const;

const CLAIM_OPTIONS = {
  email: { kind: 'text', value: 'ADDRESS', words: 'Sets the claim `email`.' },
  claim: {
    kind: 'text',
    value: 'NAME=VALUE',
    repeated: true,
    words:
      'Sets a claim of OpenID Connect Core 1.0 §5.1 or one of your own. A value that is not text is JSON, for example email_verified=true.',
  },
} as const;

const ACCOUNT_JSON =
  'One account: its name, sub, state, times and claims, never its password. With --json, one JSON object.';

const add = command({
  words: ['accounts', 'add'],
  summary: 'Create an account for an end-user',
  description: [
    'The command asks for the password twice at the terminal, and does not show it. A password has 8 to 128 characters; the commonest passwords and the name of the account are refused. A password is never an argument, because the process list and the history of the shell would show it.',
    'The account gets a random sub. No later account gets the same sub, not even one with the same name.',
    'An absent SQLite database is created.',
  ],
  servers: BESIDE_SERVERS,
  operands: {
    name: {
      words:
        'Names the account; the end-user types it to sign in. Its letters belong to one script, or to Latin and Chinese, Japanese or Korean.',
    },
  },
  options: {
    ...CLAIM_OPTIONS,
    'admin-role': {
      kind: 'choice',
      values: ADMIN_ROLES,
      words:
        'Gives the account a role in the administration of the server (`chancery accounts role --help`). Default: none.',
    },
    ...PASSWORD_OPTION,
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: ACCOUNT_JSON,
  examples: [
    'chancery accounts add ada --email ada@example.com --claim given_name=Ada',
    'printf %s "$PASSWORD" | chancery accounts add ada --password-stdin',
  ],
  run: async (call) => {
    const { name: username } = call.operands;
    const claims = claimsOf(call.options);
    await withRegistry(call, { create: true }, async (session) => {
      const password = await readNewPassword(call.options['password-stdin'], call);
      const admin_role = call.options['admin-role'] ?? null;
      const account = { username, password, claims, admin_role };
      printAccount(call, await addAccount(session.tenant.endUsers.accounts, account, actorOf(session)));
    });
  },
});

const list = command({
  words: ['accounts', 'list'],
  summary: 'List the accounts by name',
  description: [
    'The command reads page by page, so that its memory does not grow with the number of accounts.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each account. With --json, one JSON object per line, with the claims.',
  examples: ['chancery accounts list', 'chancery accounts list --tenant acme --json'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant }) => {
      const lines = call.options.json ? undefined : table(call.print, HEADS);
      let after: LoginName | undefined;
      while (true) {
        const page: readonly StoredAccount[] = await tenant.storage.accounts.page(after, PAGE);
        if (lines === undefined) for (const account of page) call.print(JSON.stringify(accountJson(account)));
        else lines.print(page.map(cells));
        after = page.at(-1)?.login_name;
        if (page.length < PAGE) return;
      }
    });
  },
});

function cells({ username, sub, created_at, disabled_at, admin_role }: StoredAccount): readonly string[] {
  const state = disabled_at === null ? 'enabled' : 'disabled';
  return [username, sub, timeText(created_at, '-'), state, admin_role ?? '-'];
}

const show = command({
  words: ['accounts', 'show'],
  summary: 'Show an account with its claims and sessions',
  description: [
    'The command shows the sessions that have not expired. It never shows the password or its hash.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: NAME,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'The name, sub, state, times and claims of the account, and a line for each session. With --json, one JSON object with the member `sessions`.',
  examples: ['chancery accounts show ada'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const account = await namedAccount(session, call.operands.name);
      const now = session.needs.clock.now();
      const stored = await session.tenant.storage.sessions.ofSubject(account.sub);
      const live = stored.filter(({ expires_at }) => expires_at > now);
      if (call.options.json)
        call.print(JSON.stringify({ ...accountJson(account), sessions: live.map(sessionJson) }));
      else printFields(call.print, [...accountFields(account), ...live.map(sessionField)]);
    });
  },
});

function sessionJson({ sid, auth_time, last_seen_at, expires_at }: StoredSession): object {
  return { sid, auth_time, last_seen_at, expires_at };
}

function sessionField({ sid, last_seen_at }: StoredSession): readonly [string, string] {
  return ['session', `${sid}, last seen ${timeText(last_seen_at, '-')}`];
}

const update = command({
  words: ['accounts', 'update'],
  summary: 'Change the claims of an account',
  description: [
    'Claims that the command does not name stay as they are. The sessions and grants of the account go on. Clients get the new claims with their next request for them.',
  ],
  servers: BESIDE_SERVERS,
  operands: NAME,
  options: {
    ...CLAIM_OPTIONS,
    'remove-claim': { kind: 'text', value: 'NAME', repeated: true, words: 'Removes a claim.' },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output: ACCOUNT_JSON,
  examples: ['chancery accounts update ada --claim family_name=Lovelace --remove-claim nickname'],
  run: async (call) => {
    const given = claimsOf(call.options);
    const removed = new Set(call.options['remove-claim'] ?? []);
    if (Object.keys(given).length + removed.size === 0)
      throw calledWrongly('give at least one of --email, --claim and --remove-claim');
    await withRegistry(call, { create: false }, async (session) => {
      const account = await namedAccount(session, call.operands.name);
      const before = JSON.parse(account.claims) as Readonly<Record<string, unknown>>;
      const kept = Object.entries(before).filter(([name]) => !removed.has(name));
      const claims = { ...Object.fromEntries(kept), ...given };
      printAccount(
        call,
        await changeAccount(session.tenant.endUsers.accounts, account, { claims }, actorOf(session)),
      );
    });
  },
});

/** The notice of commands that end sessions. */
const UNTOLD =
  'The clients of the sessions are notified if they have a backchannel_logout_uri. No command can tell those with a frontchannel_logout_uri only, because Front-Channel Logout needs the browser of the end-user.';

const setPasswordCommand = command({
  words: ['accounts', 'set-password'],
  summary: 'Set a new password and end the sessions and grants of an account',
  description: [
    'The command asks for the password twice at the terminal, and does not show it. The old password stops working at once.',
    'All sessions and grants of the account end, with the access tokens of those grants. This cannot be undone.',
    UNTOLD,
  ],
  servers: BESIDE_SERVERS,
  operands: NAME,
  options: { ...PASSWORD_OPTION, ...REGISTRY_OPTIONS },
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, the account as one JSON object.',
  examples: ['chancery accounts set-password ada'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const { accounts } = session.tenant.endUsers;
      const account = await namedAccount(session, call.operands.name);
      const password = await readNewPassword(call.options['password-stdin'], call);
      const changed = await setPassword(accounts, account, password, actorOf(session));
      const line = `the password of ${account.username} is set`;
      call.print(call.options.json ? JSON.stringify(accountJson(changed)) : line);
    });
  },
});

/** Declares `accounts enable` or `accounts disable`. */
function switchCommand(on: boolean, texts: Pick<Command, 'summary' | 'description' | 'examples'>): Command {
  return command({
    words: ['accounts', on ? 'enable' : 'disable'],
    ...texts,
    servers: BESIDE_SERVERS,
    operands: NAME,
    options: REGISTRY_OPTIONS,
    environment: SETTINGS_VARIABLES,
    output: 'One line. With --json, the account as one JSON object.',
    run: async (call) => {
      await withRegistry(call, { create: false }, async (session) => {
        const account = await namedAccount(session, call.operands.name);
        const changed = await setDisabled(session.tenant.endUsers.accounts, account, !on, actorOf(session));
        const line = `${on ? 'enabled' : 'disabled'} ${account.username}`;
        call.print(call.options.json ? JSON.stringify(accountJson(changed)) : line);
      });
    },
  });
}

const remove = command({
  words: ['accounts', 'delete'],
  summary: 'Delete an account with its sessions, grants and consents',
  description: [
    'All sessions, grants and consents of the account end, with the access tokens of those grants. This cannot be undone. No later account gets the same sub.',
    UNTOLD,
  ],
  servers: BESIDE_SERVERS,
  operands: NAME,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, the sub and the name of the account as one JSON object.',
  examples: ['chancery accounts delete ada'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const account = await namedAccount(session, call.operands.name);
      await deleteAccount(session.tenant.endUsers.accounts, account, actorOf(session));
      const { sub, username } = account;
      const json = JSON.stringify({ sub, username, deleted: true });
      call.print(call.options.json ? json : `deleted ${username}`);
    });
  },
});

export const ACCOUNT_COMMANDS: readonly Command[] = [
  add,
  list,
  show,
  update,
  switchCommand(false, {
    summary: 'Disable an account and end its sessions and grants',
    description: [
      'The end-user cannot sign in until the account is enabled. The sessions and grants of the account end, with the access tokens of those grants; enabling the account does not restore them.',
      UNTOLD,
    ],
    examples: ['chancery accounts disable ada'],
  }),
  switchCommand(true, {
    summary: 'Let the end-user of a disabled account sign in again',
    description: ['The sessions and grants that ended with disabling stay ended.'],
    examples: ['chancery accounts enable ada'],
  }),
  setPasswordCommand,
  remove,
];

/** Returns the account of a name. Rejects with NotFound for an unknown name. */
export async function namedAccount({ tenant }: RegistrySession, username: string): Promise<StoredAccount> {
  const login_name = loginName(username);
  const account =
    login_name === undefined ? undefined : await tenant.storage.accounts.findByLoginName(login_name);
  if (account === undefined) throw new NotFound(`there is no account ${JSON.stringify(username)}`);
  return account;
}

export function actorOf({ request_id }: Pick<RegistrySession, 'request_id'>): AccountActor {
  return { actor: ACTOR, request_id };
}

function printAccount({ options, print }: RegistryCall, account: StoredAccount): void {
  if (options.json) print(JSON.stringify(accountJson(account)));
  else printFields(print, accountFields(account));
}

/** Returns an account for `--json`, without the hash of its password. */
export function accountJson(account: StoredAccount): object {
  const { sub, username, login_name, claims, created_at, updated_at, disabled_at, admin_role } = account;
  const parsed = JSON.parse(claims) as object;
  return { sub, username, login_name, claims: parsed, created_at, updated_at, disabled_at, admin_role };
}

function accountFields(account: StoredAccount): readonly (readonly [string, string])[] {
  const { sub, username, claims, created_at, updated_at, disabled_at, admin_role } = account;
  return [
    ['name', username],
    ['sub', sub],
    ['state', disabled_at === null ? 'enabled' : `disabled since ${timeText(disabled_at, '-')}`],
    ...(admin_role === null ? [] : [['role', admin_role] as const]),
    ['created', timeText(created_at, '-')],
    ['changed', timeText(updated_at, '-')],
    ...Object.entries(JSON.parse(claims) as Readonly<Record<string, unknown>>).map(
      ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
  ];
}

interface ClaimValues {
  readonly email: string | undefined;
  readonly claim: readonly string[] | undefined;
}

export function claimsOf({ email, claim = [] }: ClaimValues): Readonly<Record<string, unknown>> {
  return { ...(email === undefined ? {} : { email }), ...Object.fromEntries(claim.map(namedValue)) };
}

/** Parses `NAME=VALUE`. The value is text for a standard claim of that type, and otherwise JSON if it parses as JSON. */
function namedValue(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at < 1) throw calledWrongly(`--claim takes NAME=VALUE, found ${JSON.stringify(text)}`);
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (claimType(name) === 'string') return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}

/** Reads a new password: the first line of standard input if `fromStdin`, otherwise twice from the terminal. */
export async function readNewPassword(fromStdin: boolean, { complain }: Surroundings): Promise<string> {
  if (fromStdin) return await firstLine();
  if (!process.stdin.isTTY)
    throw new CommandFailure(
      'standard input is not a terminal, so no password can be typed: use --password-stdin',
    );
  const [password, again] = await typedTwice(complain);
  if (password === again) return password;
  throw new CommandFailure('the two passwords differ');
}

async function firstLine(): Promise<string> {
  for await (const line of readLines('-', LINE_BYTES_MAX)) {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line).replace(/\r$/, '');
    } catch {
      throw new CommandFailure('the password on standard input is not UTF-8');
    }
  }
  throw new CommandFailure('standard input holds no password');
}

async function typedTwice(complain: Surroundings['complain']): Promise<readonly [string, string]> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: discard, terminal: true });
  try {
    complain('Password:');
    const password = await terminal.question('');
    complain('The same password again:');
    return [password, await terminal.question('')];
  } finally {
    terminal.close();
  }
}
