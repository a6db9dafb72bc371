import assert from 'node:assert/strict';
import { type ExpectedGrant, ExpectedGrants } from './expected-grants.ts';
import type { Entry, Operation, Registration } from './ledger.ts';

export interface ExpectedClient {
  /** The latest acknowledged response. */
  current: Registration;
  /** Replaced by an acknowledged update: their token and secret are dead. */
  readonly former: Registration[];
  /** Live, as far as was acknowledged. */
  readonly accessTokens: Set<string>;
  readonly revoked: Set<string>;
  deleted: boolean;
}

export interface UnknownOutcome {
  readonly op: number;
  readonly operation: Operation;
}

/** The registry as the acknowledgements demand it. */
export interface ExpectedRegistry {
  readonly clients: ReadonlyMap<string, ExpectedClient>;
  /** By client. */
  readonly grants: ReadonlyMap<string, readonly ExpectedGrant[]>;
  /** Sent, never answered, not yet looked for. */
  readonly unknown: readonly UnknownOutcome[];
  /** Issued and acknowledged, with the clients that were registered with it. */
  readonly initialAccessTokens: ReadonlyMap<string, readonly string[]>;
  readonly acked: number;
  /** Acknowledgements by the kind of operation. */
  readonly ackedByKind: ReadonlyMap<string, number>;
  /** Refusals that can only mean that something acknowledged is gone. */
  readonly lost: readonly string[];
  /** Answers that no healthy server gives here, such as a 404. */
  readonly unexpected: readonly string[];
}

interface Draft {
  readonly clients: Map<string, ExpectedClient>;
  readonly grants: ExpectedGrants;
  readonly unknown: Map<number, Operation>;
  readonly initialAccessTokens: Map<string, string[]>;
  readonly unexpected: string[];
  readonly ackedByKind: Map<string, number>;
  acked: number;
}

export function expectedRegistry(entries: readonly Entry[]): ExpectedRegistry {
  const draft: Draft = {
    clients: new Map(),
    grants: new ExpectedGrants(),
    unknown: new Map(),
    initialAccessTokens: new Map(),
    unexpected: [],
    ackedByKind: new Map(),
    acked: 0,
  };
  for (const entry of entries) {
    if ('sent' in entry) draft.unknown.set(entry.op, entry.sent);
    else settle(draft, entry);
  }
  const unknown = [...draft.unknown].map(([op, operation]) => ({ op, operation }));
  for (const { operation } of unknown) leaveOpen(draft, operation);
  const lost = draft.grants.settleRefusals();
  return { ...draft, grants: draft.grants.byClient, unknown, lost };
}

function settle(draft: Draft, entry: Exclude<Entry, { sent: Operation }>): void {
  const operation = draft.unknown.get(entry.op);
  assert.ok(operation !== undefined, `operation ${entry.op} was settled without being sent, or twice`);
  draft.unknown.delete(entry.op);
  if ('found' in entry) {
    if (entry.found === 'done') apply(draft, operation, entry.registration);
    else leaveOpen(draft, operation);
    return;
  }
  const { status, body } = entry.acked;
  draft.acked += 1;
  if (status === 200 || (status === 204 && operation.kind === 'delete')) {
    draft.ackedByKind.set(operation.kind, (draft.ackedByKind.get(operation.kind) ?? 0) + 1);
    apply(draft, operation, body);
  } else if (operation.kind === 'refresh' && status === 400) {
    draft.grants.refuse(operation.client_id, operation.refresh_token);
  } else if (!lostRace(operation, status)) {
    draft.unexpected.push(`${operation.kind}: ${status} ${JSON.stringify(body)}`);
  }
}

/** Two requests race for one initial access token: the one that loses is refused, and leaves nothing behind. */
const lostRace = (operation: Operation, status: number): boolean =>
  status === 401 && operation.kind === 'create' && operation.initialAccessToken !== undefined;

/** Drops all expectations of a token after an operation on it without a known outcome. */
function leaveOpen(draft: Draft, operation: Operation): void {
  if (operation.kind === 'refresh') draft.grants.forget(operation.client_id, operation.refresh_token);
  if (operation.kind === 'delete') draft.grants.forgetAll(operation.client_id);
  if (operation.kind !== 'revoke') return;
  draft.clients.get(operation.client_id)?.accessTokens.delete(operation.token);
  draft.grants.forget(operation.client_id, operation.token);
}

function apply(draft: Draft, operation: Operation, body: unknown): void {
  const answer = body as Registration & { readonly access_token: string; readonly refresh_token: string };
  switch (operation.kind) {
    case 'invite':
      draft.initialAccessTokens.set(answer.access_token, []);
      return;
    case 'create':
      addClient(draft, answer, operation.initialAccessToken);
      return;
    case 'grant':
      draft.grants.add(operation.client_id, answer);
      return;
    case 'refresh':
      draft.grants.refresh(operation.client_id, operation.refresh_token, answer);
      return;
    default:
      applyToClient(draft, operation, answer);
  }
}

function addClient(draft: Draft, current: Registration, initialAccessToken: string | undefined): void {
  const client = { current, former: [], accessTokens: new Set<string>(), revoked: new Set<string>() };
  draft.clients.set(current.client_id, { ...client, deleted: false });
  if (initialAccessToken !== undefined) {
    draft.initialAccessTokens.get(initialAccessToken)?.push(current.client_id);
  }
}

type OfClient = Extract<Operation, { kind: 'update' | 'delete' | 'access-token' | 'revoke' }>;

function applyToClient(
  draft: Draft,
  operation: OfClient,
  answer: Registration & { readonly access_token: string },
): void {
  const client = draft.clients.get(operation.client_id);
  assert.ok(client !== undefined, `${operation.kind} of a client that was never registered`);
  switch (operation.kind) {
    case 'delete':
      client.deleted = true;
      draft.grants.endAll(operation.client_id);
      return;
    case 'access-token':
      client.accessTokens.add(answer.access_token);
      return;
    case 'revoke':
      if (client.accessTokens.delete(operation.token)) client.revoked.add(operation.token);
      else draft.grants.end(operation.client_id, operation.token);
      return;
    case 'update':
      client.former.push(client.current);
      client.current = answer;
  }
}
