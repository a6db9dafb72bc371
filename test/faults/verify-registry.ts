import { randomInt, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../program/start.ts';
import type { ExpectedGrant } from './expected-grants.ts';
import { type ExpectedClient, type ExpectedRegistry, expectedRegistry } from './expected-registry.ts';
import type { Ledger, Registration } from './ledger.ts';
import { introspect, list, perform, read } from './registry-calls.ts';
import { settleUnknown } from './settle-unknown.ts';

export interface Findings {
  /** Acknowledged, and not there any more. */
  readonly lost: string[];
  /** Neither wholly there nor wholly absent. */
  readonly half_written: string[];
  /** Good for one use, and used again. */
  readonly used_twice: string[];
  /** Revoked or replaced, and good again. */
  readonly revoked_active: string[];
  unknown_done: number;
  unknown_absent: number;
}

export const noFindings = (): Findings => ({
  lost: [],
  half_written: [],
  used_twice: [],
  revoked_active: [],
  unknown_done: 0,
  unknown_absent: 0,
});

interface Verification {
  readonly program: Program;
  readonly ledger: Ledger;
  readonly findings: Findings;
  readonly inspector: Registration;
  /** How many clients that nothing touched since the last verification are tried too. Default 40. */
  readonly others?: number;
}

/**
 * Compares what a server holds after a fault with the promises in the ledger (L1 to L4).
 * `touched`: clients and tokens that are tried one by one, with some others; all are compared in the list.
 */
export async function verifyRegistry(
  { program, ledger, findings, inspector, others: others_max = OTHERS_MAX }: Verification,
  touched: ReadonlySet<string>,
): Promise<ExpectedRegistry> {
  await settleUnknown(program, ledger, findings);
  const expected = expectedRegistry(ledger.entries());
  compareWithList(expected, await list(program), findings);
  const verification = { program, ledger, findings, inspector };
  const others = shuffled([...expected.clients.keys()].filter((client_id) => !touched.has(client_id)));
  const tried = new Set([...touched, ...others.slice(0, others_max)]);
  const clients = [...expected.clients].filter(([client_id]) => tried.has(client_id));
  await inGroups(clients, async ([client_id, client]) => {
    await tryClient(verification, client);
    for (const grant of expected.grants.get(client_id) ?? []) await tryGrant(verification, client, grant);
  });
  const tokens = [...expected.initialAccessTokens].filter(([token]) => touched.has(token));
  await inGroups(tokens, async ([token, registered]) => {
    if (registered.length > 1) findings.used_twice.push('an initial access token made two clients');
    else await tryInitialAccessToken(verification, token, registered.length === 1);
  });
  return expectedRegistry(ledger.entries());
}

const GROUP = 16;
const OTHERS_MAX = 40;

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: randomInt(2 ** 32) }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

async function inGroups<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += GROUP) {
    await Promise.all(items.slice(start, start + GROUP).map(act));
  }
}

function compareWithList(
  { clients }: ExpectedRegistry,
  listed: readonly Registration[],
  { lost, half_written }: Findings,
): void {
  const found = new Map(listed.map((registration) => [registration.client_id, registration]));
  if (found.size !== listed.length) half_written.push('a client is listed twice');
  for (const [client_id, { current, deleted }] of clients) {
    const registration = found.get(client_id);
    found.delete(client_id);
    if (deleted && registration !== undefined) lost.push(`the deletion of ${client_id}`);
    if (!deleted && registration === undefined) lost.push(`client ${client_id}`);
    if (!deleted && registration !== undefined && !isDeepStrictEqual(registration, current)) {
      lost.push(`the acknowledged state of ${client_id}`);
    }
  }
  for (const client_id of found.keys()) half_written.push(`${client_id}, which was never registered`);
}

/** L1 and L2: the newest credentials work, everything they replaced is dead, and so is all of a deleted client. */
async function tryClient(verification: Verification, client: ExpectedClient): Promise<void> {
  const { program, findings } = verification;
  const { current, former, accessTokens, revoked, deleted } = client;
  const { client_id } = current;
  const lost = complaint(findings.lost, client_id);
  const active = complaint(findings.revoked_active, client_id);
  const own = await read(program, client_id, current.registration_access_token);
  const authenticated = await introspect(program, current, 'junk');
  if (deleted) {
    active(own.status === 401, 'the registration token of a deleted client opens it');
    active(authenticated.status === 401, 'the secret of a deleted client authenticates');
    lost((await read(program, client_id, program.masterToken)).status === 404, 'a deleted client is read');
  } else {
    lost(own.status === 200 && isDeepStrictEqual(own.body, current), `its token reads ${own.status}`);
    // Other methods refuse the secret itself; their clients are tried with assertions.
    const isBasic = (current.token_endpoint_auth_method ?? 'client_secret_basic') === 'client_secret_basic';
    lost(!isBasic || authenticated.status === 200, `its secret gives ${authenticated.status}`);
    for (const token of accessTokens) {
      lost(await isActive(verification, token), 'an access token of it is inactive');
    }
  }
  for (const token of [...revoked, ...(deleted ? accessTokens : [])]) {
    active(!(await isActive(verification, token)), 'a revoked access token is active');
  }
  for (const replaced of former) {
    const byToken = await read(program, client_id, replaced.registration_access_token);
    active(byToken.status === 401, 'a replaced registration token opens it');
    active((await introspect(program, replaced, 'junk')).status === 401, 'a replaced secret authenticates');
  }
}

const complaint =
  (list_: string[], client_id: string) =>
  (holds: boolean, what: string): void => {
    if (!holds) list_.push(`${client_id}: ${what}`);
  };

async function isActive({ program, inspector }: Verification, token: string): Promise<boolean> {
  const { status, body } = await introspect(program, inspector, token);
  if (status !== 200) throw new Error(`introspection by the inspector: ${status}`);
  return (body as { active: boolean }).active;
}

/** No refresh token was good twice; an ended grant is dead with all its tokens; the tokens of another one are good. */
async function tryGrant(
  verification: Verification,
  { current, deleted }: ExpectedClient,
  grant: ExpectedGrant,
): Promise<void> {
  const { program, ledger, findings } = verification;
  const { client_id } = current;
  const active = complaint(findings.revoked_active, client_id);
  const used = [...grant.uses].filter(([, times]) => times > 0);
  complaint(findings.used_twice, client_id)(
    used.every(([, times]) => times === 1),
    'a refresh token was answered twice',
  );
  for (const token of grant.open ? [] : grant.accessTokens) {
    const isGood = await isActive(verification, token);
    if (grant.ended) active(!isGood, 'an access token of an ended grant is active');
    else complaint(findings.lost, client_id)(isGood, 'an access token of its grant is inactive');
  }
  if (deleted) return;
  const use = async (refresh_token: string): Promise<number> => {
    const operation = { kind: 'refresh', client_id, refresh_token } as const;
    return (await perform(program, ledger, operation, current)).status;
  };
  const newest = [...grant.uses.keys()].at(-1) ?? '';
  if (grant.ended) active((await use(newest)) === 400, 'the refresh token of an ended grant is good');
  // A refusal is a loss, which the ledger finds.
  else if (!grant.open) await use(newest);
  const [spent] = used.at(-1) ?? [];
  // The second use ends the grant. The others live on, for the next round.
  if (spent === undefined || randomInt(2) === 0) return;
  const status = await use(spent);
  if (status !== 400) findings.used_twice.push(`${client_id}: a used refresh token gives ${status}`);
}

/** L4: a used initial access token made one client and makes no other; an unused one still makes one. */
async function tryInitialAccessToken(
  { program, ledger, findings }: Verification,
  initialAccessToken: string,
  used: boolean,
): Promise<void> {
  const operation = { kind: 'create', mark: randomUUID(), initialAccessToken } as const;
  const { status } = await perform(program, ledger, operation);
  if (status === (used ? 401 : 200)) return;
  if (used) findings.used_twice.push(`a used initial access token gives ${status}`);
  else findings.lost.push(`an unused initial access token gives ${status}`);
}
