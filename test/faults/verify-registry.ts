import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../program/start.ts';
import { type ExpectedClient, type ExpectedRegistry, expectedRegistry } from './expected-registry.ts';
import type { Ledger, Registration } from './ledger.ts';
import { introspect, list, perform, read } from './registry-calls.ts';
import { settleUnknown } from './settle-unknown.ts';

export interface Findings {
  /** Acknowledged, and not there any more. */
  readonly lost: string[];
  /** Neither wholly there nor wholly absent. */
  readonly half_written: string[];
  unknown_done: number;
  unknown_absent: number;
}

/**
 * Compares what a restarted server holds with what the ledger was promised (security.md §4.2, L1 to L4).
 * `touched`: clients and tokens of this round, which are tried one by one; all others are compared in the list.
 */
export async function verifyRegistry(
  program: Program,
  ledger: Ledger,
  findings: Findings,
  touched: ReadonlySet<string>,
): Promise<ExpectedRegistry> {
  await settleUnknown(program, ledger, findings);
  const expected = expectedRegistry(ledger.entries());
  compareWithList(expected, await list(program), findings);
  const clients = [...expected.clients].filter(([client_id]) => touched.has(client_id));
  await inGroups(clients, async ([, client]) => await tryClient(program, client, findings));
  const tokens = [...expected.initialAccessTokens].filter(([token]) => touched.has(token));
  await inGroups(tokens, async ([token, registered]) => {
    if (registered.length > 1) findings.half_written.push('an initial access token made two clients');
    else await tryInitialAccessToken(program, ledger, token, registered.length === 1, findings);
  });
  return expectedRegistry(ledger.entries());
}

const GROUP = 16;

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
  for (const client_id of found.keys()) half_written.push(`${client_id}, which nobody registered`);
}

/** L1 and L2: the newest credentials work, everything they replaced is dead, and so is all of a deleted client. */
async function tryClient(program: Program, client: ExpectedClient, { lost }: Findings): Promise<void> {
  const { current, former, accessTokens, deleted } = client;
  const { client_id } = current;
  const complain = (holds: boolean, what: string): void => {
    if (!holds) lost.push(`${client_id}: ${what}`);
  };
  const own = await read(program, client_id, current.registration_access_token);
  const authenticated = await introspect(program, current, accessTokens.at(-1) ?? 'junk');
  if (deleted) {
    complain(own.status === 401, 'the registration token of a deleted client opens it');
    complain(authenticated.status === 401, 'the secret of a deleted client authenticates');
    complain(
      (await read(program, client_id, program.masterToken)).status === 404,
      'a deleted client is read',
    );
  } else {
    complain(own.status === 200 && isDeepStrictEqual(own.body, current), `its token reads ${own.status}`);
    const { active } = (authenticated.body ?? {}) as { active?: boolean };
    complain(authenticated.status === 200, `its secret gives ${authenticated.status}`);
    complain(active === accessTokens.length > 0, `its access token is active: ${String(active)}`);
  }
  for (const replaced of former) {
    const byToken = await read(program, client_id, replaced.registration_access_token);
    complain(byToken.status === 401, 'a replaced registration token opens it');
    complain((await introspect(program, replaced, 'junk')).status === 401, 'a replaced secret authenticates');
  }
}

/** L4: a used initial access token made one client and makes no other; an unused one still makes one. */
async function tryInitialAccessToken(
  program: Program,
  ledger: Ledger,
  initialAccessToken: string,
  used: boolean,
  findings: Findings,
): Promise<void> {
  const operation = { kind: 'create', mark: randomUUID(), initialAccessToken } as const;
  const { status } = await perform(program, ledger, operation);
  if (status === (used ? 401 : 200)) return;
  if (used) findings.half_written.push(`a used initial access token gives ${status}`);
  else findings.lost.push(`an unused initial access token gives ${status}`);
}
