import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../program/start.ts';
import { type ExpectedClient, expectedRegistry, type UnknownOutcome } from './expected-registry.ts';
import type { Ledger, Registration } from './ledger.ts';
import { introspect, list, read } from './registry-calls.ts';
import type { Findings } from './verify-registry.ts';

type Outcome = { readonly done: boolean; readonly registration?: Registration } | { readonly half: string };

/** Finds out what became of each operation without an answer, and writes it into the ledger (L3; for updates F3). */
export async function settleUnknown(program: Program, ledger: Ledger, findings: Findings): Promise<void> {
  const { clients, unknown } = expectedRegistry(ledger.entries());
  const listed = await list(program);
  for (const { op, operation } of unknown) {
    const outcome = await outcomeOf(program, operation, clients, listed);
    if ('half' in outcome) {
      findings.half_written.push(`${operation.kind}: ${outcome.half}`);
      ledger.found(op, 'not done');
      continue;
    }
    if (outcome.done) findings.unknown_done += 1;
    else findings.unknown_absent += 1;
    ledger.found(op, outcome.done ? 'done' : 'not done', outcome.registration);
  }
}

async function outcomeOf(
  program: Program,
  operation: UnknownOutcome['operation'],
  clients: ReadonlyMap<string, ExpectedClient>,
  listed: readonly Registration[],
): Promise<Outcome> {
  if (operation.kind === 'create') {
    const found = listed.filter(({ client_name }) => client_name === operation.mark);
    if (found.length > 1) return { half: 'two clients of one request' };
    return found[0] === undefined ? { done: false } : await wholeOrHalf(program, found[0], operation.mark);
  }
  // The answer with the token was lost, or the token has no expectations any more: there is nothing to compare.
  if (operation.kind !== 'update' && operation.kind !== 'delete') return { done: false };
  const before = clients.get(operation.client_id)?.current;
  const found = listed.find(({ client_id }) => client_id === operation.client_id);
  if (before === undefined) return { half: 'the client was never registered' };
  if (operation.kind === 'delete') {
    return found === undefined ? { done: true } : { done: false };
  }
  if (found === undefined) return { half: 'the client is gone' };
  if (isDeepStrictEqual(found, before)) return { done: false };
  if (found.registration_access_token === before.registration_access_token)
    return { half: 'the old token stayed' };
  if (found.client_secret === before.client_secret) return { half: 'the old secret stayed' };
  return await wholeOrHalf(program, found, operation.mark);
}

/** Whole: every member is the request's, its token reads it, its secret authenticates. */
async function wholeOrHalf(program: Program, found: Registration, mark: string): Promise<Outcome> {
  const { data, contacts } = found as Registration & { data?: unknown; contacts?: unknown };
  if (found.client_name !== mark || !isDeepStrictEqual(data, { mark }))
    return { half: 'members of two requests' };
  if (!isDeepStrictEqual(contacts, [`${mark}@rp.example`])) return { half: 'contacts are missing' };
  const own = await read(program, found.client_id, found.registration_access_token);
  if (own.status !== 200 || !isDeepStrictEqual(own.body, found))
    return { half: `its token reads ${own.status}` };
  const { status } = await introspect(program, found, 'junk');
  return status === 200 ? { done: true, registration: found } : { half: `its secret gives ${status}` };
}
