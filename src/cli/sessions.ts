import type { StoredLogoutNotification } from '../ports/logout-notification-store.ts';
import type { SessionStore, StoredSession } from '../ports/session-store.ts';
import { sessionEnded } from '../sessions/browser-session.ts';
import { unreachableClients } from '../sessions/front-channel-logout.ts';
import { NotFound } from '../spec/errors.ts';
import type { ClientId, Subject } from '../spec/identifiers.ts';
import { actorOf, namedAccount } from './accounts.ts';
import { type Command, command } from './command.ts';
import { calledWrongly } from './failure.ts';
import type { RegistrySession } from './registry-session.ts';
import { BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { table, timeText } from './table.ts';

const PAGE = 100;
const SESSION_HEADS = ['SESSION', 'SIGNED IN', 'LAST SEEN', 'ENDS', 'CLIENTS'];
const LOGOUT_HEADS = ['SESSION', 'CLIENT', 'STATE', 'ATTEMPTS', 'LAST', 'NEXT', 'PROBLEM'];

/** Names an end-user: by an account, or with `--sub` by a subject that has no account here. */
export const SUBJECT_OPERAND = {
  name: { unless: 'sub', words: 'Names the account of the end-user.' },
} as const;

export const SUBJECT_OPTIONS = {
  sub: {
    kind: 'text',
    value: 'SUB',
    words: 'Names the end-user by the sub instead, for example an end-user without an account here.',
  },
  ...REGISTRY_OPTIONS,
} as const;

interface SubjectCall {
  readonly operands: { readonly name: string | undefined };
  readonly options: { readonly sub: string | undefined };
}

/** Returns a function that finds the subject. It rejects with NotFound for a name without an account. */
export function subjectOf({
  operands,
  options,
}: SubjectCall): (session: RegistrySession) => Promise<Subject> {
  const { sub } = options;
  if (sub === '') throw calledWrongly('--sub takes a subject');
  return async (session) =>
    sub === undefined ? (await namedAccount(session, operands.name ?? '')).sub : (sub as Subject);
}

/** Things of an end-user that have an identifier and can be ended: sessions or grants. */
interface Things<Thing> {
  readonly noun: 'session' | 'grant';
  readonly ofSubject: (session: RegistrySession, sub: Subject) => Promise<readonly Thing[]>;
  readonly idOf: (thing: Thing) => string;
  /** Resolves with undefined for a thing that another process ended first. */
  readonly end: (session: RegistrySession, thing: Thing) => Promise<Ended | undefined>;
}

export interface Ended {
  /** For a session: clients that are not told, because only a page in the end-user's browser could tell them. */
  readonly untold?: readonly ClientId[];
}

/** Declares a command that ends one thing of an end-user, or all of them. A thing of another end-user is not found. */
export function endingCommand<Thing>(
  { noun, ofSubject, idOf, end }: Things<Thing>,
  texts: Pick<Command, 'words' | 'summary' | 'description' | 'examples'>,
): Command {
  return command({
    ...texts,
    servers: BESIDE_SERVERS,
    operands: {
      ...SUBJECT_OPERAND,
      id: { optional: true, words: `Names one ${noun} as \`${noun}s list\` prints it. Without it, all end.` },
    },
    options: SUBJECT_OPTIONS,
    environment: SETTINGS_VARIABLES,
    output: `One line with the number of ${noun}s that ended. With --json, one JSON object with \`sub\` and \`ended\`${noun === 'session' ? ', and the clients that are not told in `untold`' : ''}.`,
    run: async (call) => {
      const find = subjectOf(call);
      const { id } = call.operands;
      await withRegistry(call, { create: false }, async (session) => {
        const sub = await find(session);
        const all = await ofSubject(session, sub);
        const meant = id === undefined ? all : all.filter((thing) => idOf(thing) === id);
        if (id !== undefined && meant.length === 0)
          throw new NotFound(`the end-user has no ${noun} ${JSON.stringify(id)}`);
        const ended: string[] = [];
        const untold = new Set<ClientId>();
        for (const thing of meant) {
          const done = await end(session, thing);
          if (done !== undefined) ended.push(idOf(thing));
          for (const client of done?.untold ?? []) untold.add(client);
        }
        const members = noun === 'session' ? { untold: [...untold] } : {};
        if (call.options.json) call.print(JSON.stringify({ sub, ended, ...members }));
        else for (const line of endingLines(ended.length, noun, [...untold])) call.print(line);
      });
    },
  });
}

function endingLines(count: number, noun: string, untold: readonly ClientId[]): readonly string[] {
  const line = `ended ${count} ${count === 1 ? noun : `${noun}s`}`;
  const why =
    "not told, because they have a frontchannel_logout_uri only, which needs the end-user's browser";
  return untold.length === 0 ? [line] : [line, `${why}: ${untold.join(' ')}`];
}

const list = command({
  words: ['sessions', 'list'],
  summary: 'List the sessions of an end-user and the clients that took part',
  description: ['The session with the latest use comes first. Expired sessions are left out.'],
  servers: READS_BESIDE_SERVERS,
  operands: SUBJECT_OPERAND,
  options: SUBJECT_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each session. With --json, one JSON object per line.',
  examples: ['chancery sessions list ada', 'chancery sessions list --sub 8Gq2vT0aXw5pRkZ3mB7cYd1N'],
  run: async (call) => {
    const find = subjectOf(call);
    await withRegistry(call, { create: false }, async (session) => {
      const { sessions } = session.tenant.storage;
      const now = session.needs.clock.now();
      const live = (await sessions.ofSubject(await find(session))).filter(
        ({ expires_at }) => expires_at > now,
      );
      const rows = await Promise.all(live.map(async (one) => await sessionRow(sessions, one)));
      if (call.options.json) for (const row of rows) call.print(JSON.stringify(row));
      else table(call.print, SESSION_HEADS).print(rows.map(sessionCells));
    });
  },
});

interface SessionRow
  extends Pick<StoredSession, 'sid' | 'auth_time' | 'acr' | 'amr' | 'last_seen_at' | 'expires_at'> {
  readonly clients: readonly ClientId[];
}

async function sessionRow(
  sessions: Pick<SessionStore, 'clients'>,
  { sid, auth_time, acr, amr, last_seen_at, expires_at }: StoredSession,
): Promise<SessionRow> {
  const clients = (await sessions.clients(sid)).map(({ client_id }) => client_id);
  return { sid, auth_time, acr, amr, last_seen_at, expires_at, clients };
}

function sessionCells({ sid, auth_time, last_seen_at, expires_at, clients }: SessionRow): readonly string[] {
  const times = [auth_time, last_seen_at, expires_at].map((time) => timeText(time, '-'));
  return [sid, ...times, clients.join(' ') || '-'];
}

const end = endingCommand<StoredSession>(
  {
    noun: 'session',
    ofSubject: async ({ tenant }, sub) => await tenant.storage.sessions.ofSubject(sub),
    idOf: ({ sid }) => sid,
    end: async (session, one) => {
      const event = sessionEnded(session.needs, one, actorOf(session));
      const { clients, sessions } = session.tenant.storage;
      const ended = await sessions.end(one.key, event);
      return ended === undefined ? undefined : { untold: await unreachableClients({ clients }, ended) };
    },
  },
  {
    words: ['sessions', 'end'],
    summary: 'End one session of an end-user, or all sessions',
    description: [
      'The end-user has to sign in again. The grants that depend on a session end with it, with their tokens; grants with offline_access go on. This cannot be undone.',
      'A running server notifies the clients that took part and have a backchannel_logout_uri (OpenID Connect Back-Channel Logout). `chancery logouts list` shows these notifications. The command names the clients that have a frontchannel_logout_uri only: no command can tell them, because Front-Channel Logout needs a page in the browser of the end-user.',
    ],
    examples: ['chancery sessions end ada', 'chancery sessions end ada 3mB7cYd1N8Gq2vT0'],
  },
);

export const SESSION_COMMANDS: readonly Command[] = [list, end];

const listLogouts = command({
  words: ['logouts', 'list'],
  summary: 'List the notifications to clients about sessions that ended',
  description: [
    'A notification is waiting until a server delivers it; after the last of `logout.attempts-max` attempts it is failed. Servers remove finished notifications after `logout.log-lifetime`.',
  ],
  servers: READS_BESIDE_SERVERS,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output:
    'A table with the state, the number of attempts, their times and the last problem. With --json, one JSON object per line.',
  examples: ['chancery logouts list'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async ({ tenant }) => {
      const { logoutNotifications } = tenant.storage;
      const lines = call.options.json ? undefined : table(call.print, LOGOUT_HEADS);
      let after: StoredLogoutNotification | undefined;
      while (true) {
        const page: readonly StoredLogoutNotification[] = await logoutNotifications.page(after, PAGE);
        if (lines === undefined) for (const row of page) call.print(JSON.stringify(logoutMembers(row)));
        else lines.print(page.map(logoutCells));
        after = page.at(-1);
        if (page.length < PAGE) return;
      }
    });
  },
});

function logoutMembers(row: StoredLogoutNotification): object {
  const { sid, client_id, sub, issuer, state, attempts, attempted_at, due_at, problem } = row;
  // A notification without an attempt is due at once: its time is 0.
  return { sid, client_id, sub, issuer, state, attempts, attempted_at, due_at: due_at || null, problem };
}

function logoutCells(row: StoredLogoutNotification): readonly string[] {
  const { sid, client_id, state, attempts, attempted_at, due_at, problem } = row;
  const next = timeText(due_at, due_at === 0 ? 'now' : '-');
  return [sid, client_id, state, String(attempts), timeText(attempted_at, '-'), next, problem ?? '-'];
}

export const LOGOUT_COMMANDS: readonly Command[] = [listLogouts];
