import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../program/start.ts';
import type { Ledger, Operation, Registration } from './ledger.ts';
import { type Kind, LoadFigures } from './load-figures.ts';
import { type Answer, introspect, isWithoutOutcome, perform, read } from './registry-calls.ts';

export interface MixedLoadOptions {
  /** One is chosen for each request. */
  readonly nodes: readonly Program[];
  readonly ledger: Ledger;
  /** How many clients send at the same time. Default 8. */
  readonly workers?: number;
  /** Clients of earlier rounds, which are changed again. */
  readonly adopted?: readonly Registration[];
  /** Asks about tokens of clients that are gone. No operation changes it. */
  readonly inspector: Registration;
  /** A worker rests for so long between two steps. Default 0. */
  readonly pause_ms?: number;
  /** Clients per worker. At this number it removes one before it registers another. Default: no limit. */
  readonly clients_max?: number;
  /** Tokens older than this are not expected to be active. Default: they live longer than the load. */
  readonly tokensLive_ms?: number;
}

export interface MixedLoad {
  readonly figures: LoadFigures;
  /** Tokens that were introspected as they must be. */
  right: number;
  /** Introspections that contradict what was acknowledged. */
  readonly lost: string[];
  readonly revoked_active: string[];
  /** Lets every worker finish its step. */
  stop(): Promise<void>;
}

interface Held {
  registration: Registration;
  accessToken: string | undefined;
  /** When the access token was received (`performance.now`). */
  since: number;
  refreshToken: string | undefined;
  /** When its grant was received (`performance.now`). */
  grantedSince: number;
}

/** Each worker has clients of its own, so that the order of what happens to one is known. */
interface Worker {
  readonly options: MixedLoadOptions;
  readonly load: MixedLoad;
  readonly clients: Held[];
  readonly dead: string[];
}

/** Dead tokens that the load introspects again and again. */
const DEAD_MAX = 50;
const AFTER_FAILURE_MS = 20;

/**
 * Registers, invites, updates, deletes, fetches tokens, refreshes, revokes, reads and introspects until it is stopped, whatever
 * happens to the server. A client whose last operation has no known outcome is left alone.
 */
export function startMixedLoad(options: MixedLoadOptions): MixedLoad {
  const { workers = 8, adopted = [] } = options;
  const stopping = new AbortController();
  const load: MixedLoad = {
    figures: new LoadFigures(),
    right: 0,
    lost: [],
    revoked_active: [],
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
  const loops = Array.from({ length: workers }, async (_, index) => {
    const clients = adopted.filter((_client, position) => position % workers === index).map(heldAnew);
    const worker = { options, load, clients, dead: [] };
    while (!stopping.signal.aborted) {
      await step(worker);
      if (options.pause_ms !== undefined) await sleep(options.pause_ms);
    }
  });
  return load;
}

type Step = (worker: Worker, held: Held) => Promise<void>;

/** In percent; what is left registers as the master. */
const SHARES: readonly (readonly [percent: number, step: Step])[] = [
  [14, registerInvited],
  [12, update],
  [8, remove],
  [10, getAccessToken],
  [7, getGrant],
  [10, refreshOnce],
  [6, revoke],
  [13, introspectOne],
  [6, introspectDead],
  [4, readOne],
];

async function step(worker: Worker): Promise<void> {
  const { clients_max = Number.POSITIVE_INFINITY, tokensLive_ms = Number.POSITIVE_INFINITY } = worker.options;
  const held = worker.clients[randomInt(Math.max(1, worker.clients.length))];
  if (held !== undefined && worker.clients.length >= clients_max) return await remove(worker, held);
  if (held !== undefined && performance.now() - held.since > tokensLive_ms) held.accessToken = undefined;
  if (held !== undefined && performance.now() - held.grantedSince > tokensLive_ms)
    held.refreshToken = undefined;
  let dice = randomInt(100);
  for (const [percent, act] of held === undefined ? [] : SHARES) {
    dice -= percent;
    if (dice < 0 && held !== undefined) {
      await act(worker, held);
      return;
    }
  }
  keep(worker, await attempt(worker, { kind: 'create', mark: randomUUID() }));
}

const aNode = ({ options: { nodes } }: Worker): Program => {
  const node = nodes[randomInt(nodes.length)];
  if (node === undefined) throw new Error('no node');
  return node;
};

/** Undefined where no outcome is known. */
async function timed(worker: Worker, kind: Kind, act: () => Promise<Answer>): Promise<Answer | undefined> {
  const { figures } = worker.load;
  const { phase } = figures;
  const started = performance.now();
  let failure: string;
  try {
    const answer = await act();
    if (!isWithoutOutcome(answer)) {
      figures.answered(phase, kind, started);
      return answer;
    }
    failure = String(answer.status);
  } catch (error) {
    failure = failureOf(error);
  }
  figures.failed(phase, kind, started, failure);
  await sleep(AFTER_FAILURE_MS);
  return undefined;
}

/** Returns the reason of a refused, reset or cut connection. Any other failure is a fault of the experiment. */
function failureOf(error: unknown): string {
  if (error instanceof DOMException) return error.name;
  if (!(error instanceof TypeError)) throw error;
  const cause: unknown = error.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}

async function attempt(
  worker: Worker,
  operation: Operation,
  client?: Registration,
): Promise<Answer | undefined> {
  const { ledger } = worker.options;
  const byMaster = randomInt(2) === 0;
  return await timed(worker, 'write', () => perform(aNode(worker), ledger, operation, client, byMaster));
}

function keep(worker: Worker, answer: Answer | undefined): void {
  if (answer?.status !== 200) return;
  worker.clients.push(heldAnew(answer.body as Registration));
}

function heldAnew(registration: Registration): Held {
  return { registration, accessToken: undefined, since: 0, refreshToken: undefined, grantedSince: 0 };
}

function letGo({ clients }: Worker, held: Held): void {
  const index = clients.indexOf(held);
  if (index !== -1) clients.splice(index, 1);
}

function bury({ dead }: Worker, ...tokens: readonly (string | undefined)[]): void {
  for (const token of tokens) if (token !== undefined) dead.push(token);
  dead.splice(0, dead.length - DEAD_MAX);
}

/** Two requests race for one initial access token, so that a fault can fall between them. */
async function registerInvited(worker: Worker): Promise<void> {
  const invited = await attempt(worker, { kind: 'invite' });
  if (invited?.status !== 200) return;
  const { access_token: initialAccessToken } = invited.body as { access_token: string };
  const race = [randomUUID(), randomUUID()].map((mark) =>
    attempt(worker, { kind: 'create', mark, initialAccessToken }),
  );
  for (const answer of await Promise.all(race)) keep(worker, answer);
}

async function update(worker: Worker, held: Held): Promise<void> {
  const { client_id } = held.registration;
  const operation = { kind: 'update', mark: randomUUID(), client_id } as const;
  const answer = await attempt(worker, operation, held.registration);
  if (answer?.status === 200) held.registration = answer.body as Registration;
  else letGo(worker, held);
}

async function remove(worker: Worker, held: Held): Promise<void> {
  letGo(worker, held);
  const { client_id } = held.registration;
  const answer = await attempt(worker, { kind: 'delete', client_id }, held.registration);
  if (answer?.status === 204) bury(worker, held.accessToken);
}

async function getAccessToken(worker: Worker, held: Held): Promise<void> {
  const { client_id } = held.registration;
  const answer = await attempt(worker, { kind: 'access-token', client_id }, held.registration);
  if (answer?.status !== 200) return;
  held.accessToken = (answer.body as { access_token: string }).access_token;
  held.since = performance.now();
}

async function getGrant(worker: Worker, held: Held): Promise<void> {
  const { client_id } = held.registration;
  const answer = await attempt(worker, { kind: 'grant', client_id });
  if (answer?.status !== 200) return;
  held.refreshToken = (answer.body as { refresh_token: string }).refresh_token;
  held.grantedSince = performance.now();
}

/** One time in three two requests race for one refresh token: at most one may be answered, and then the grant is ended. */
async function refreshOnce(worker: Worker, held: Held): Promise<void> {
  const { registration, refreshToken: refresh_token } = held;
  if (refresh_token === undefined) return await getGrant(worker, held);
  const operation = { kind: 'refresh', client_id: registration.client_id, refresh_token } as const;
  const race = randomInt(3) === 0;
  held.refreshToken = undefined;
  const answers = await Promise.all(
    Array.from({ length: race ? 2 : 1 }, () => attempt(worker, operation, registration)),
  );
  const won = answers.filter((answer) => answer?.status === 200);
  const tokens = won.map((answer) => answer?.body as { access_token: string; refresh_token: string });
  if (!race) held.refreshToken = tokens[0]?.refresh_token;
  else if (!answers.includes(undefined)) bury(worker, ...tokens.map(({ access_token }) => access_token));
}

async function revoke(worker: Worker, held: Held): Promise<void> {
  const { client_id } = held.registration;
  const ofGrant = randomInt(2) === 0;
  const token = ofGrant ? held.refreshToken : held.accessToken;
  if (token === undefined) return;
  if (ofGrant) held.refreshToken = undefined;
  else held.accessToken = undefined;
  const answer = await attempt(worker, { kind: 'revoke', client_id, token }, held.registration);
  if (answer?.status === 200 && !ofGrant) bury(worker, token);
}

async function introspectOne(worker: Worker, { registration, accessToken }: Held): Promise<void> {
  const asked = await timed(worker, 'introspection', () =>
    introspect(aNode(worker), registration, accessToken ?? 'junk'),
  );
  if (asked === undefined) return;
  const { active } = (asked.body ?? {}) as { active?: boolean };
  if (asked.status === 200 && active === (accessToken !== undefined)) worker.load.right += 1;
  else worker.load.lost.push(`introspection of a live token: ${asked.status} ${JSON.stringify(asked.body)}`);
}

async function introspectDead(worker: Worker): Promise<void> {
  const token = worker.dead[randomInt(Math.max(1, worker.dead.length))];
  if (token === undefined) return;
  const { inspector } = worker.options;
  const asked = await timed(worker, 'introspection', () => introspect(aNode(worker), inspector, token));
  if (asked === undefined) return;
  const { active } = (asked.body ?? {}) as { active?: boolean };
  if (asked.status === 200 && active === false) worker.load.right += 1;
  else worker.load.revoked_active.push(`a revoked token during the load: ${asked.status}`);
}

async function readOne(worker: Worker, { registration }: Held): Promise<void> {
  const { client_id, registration_access_token } = registration;
  const answer = await timed(worker, 'read', () => read(aNode(worker), client_id, registration_access_token));
  if (answer !== undefined && answer.status !== 200) {
    worker.load.lost.push(`its own client is read with ${answer.status}`);
  }
}
