import assert from 'node:assert/strict';
import type { Entry, Operation, Registration } from './ledger.ts';

export interface ExpectedClient {
  /** The latest acknowledged response. */
  current: Registration;
  /** Replaced by an acknowledged update: their token and secret are dead. */
  readonly former: Registration[];
  readonly accessTokens: string[];
  deleted: boolean;
}

export interface UnknownOutcome {
  readonly op: number;
  readonly operation: Operation;
}

/** What the registry must hold, by the acknowledgements alone. */
export interface ExpectedRegistry {
  readonly clients: ReadonlyMap<string, ExpectedClient>;
  /** Sent, never answered, not yet looked for. */
  readonly unknown: readonly UnknownOutcome[];
  /** Issued and acknowledged, with the clients that were registered with it. */
  readonly initialAccessTokens: ReadonlyMap<string, readonly string[]>;
  readonly acked: number;
  /** Answers that no healthy server gives here, such as a 500. */
  readonly unexpected: readonly string[];
}

interface Draft {
  readonly clients: Map<string, ExpectedClient>;
  readonly unknown: Map<number, Operation>;
  readonly initialAccessTokens: Map<string, string[]>;
  readonly unexpected: string[];
  acked: number;
}

export function expectedRegistry(entries: readonly Entry[]): ExpectedRegistry {
  const draft: Draft = {
    clients: new Map(),
    unknown: new Map(),
    initialAccessTokens: new Map(),
    unexpected: [],
    acked: 0,
  };
  for (const entry of entries) {
    if ('sent' in entry) draft.unknown.set(entry.op, entry.sent);
    else settle(draft, entry);
  }
  const unknown = [...draft.unknown].map(([op, operation]) => ({ op, operation }));
  return { ...draft, unknown };
}

function settle(draft: Draft, entry: Exclude<Entry, { sent: Operation }>): void {
  const operation = draft.unknown.get(entry.op);
  assert.ok(operation !== undefined, `operation ${entry.op} was settled without being sent, or twice`);
  draft.unknown.delete(entry.op);
  if ('found' in entry) {
    if (entry.found === 'done') apply(draft, operation, entry.registration);
    return;
  }
  const { status, body } = entry.acked;
  draft.acked += 1;
  // Two requests race for one initial access token: the one that loses is refused, and leaves nothing behind.
  const lostRace =
    status === 401 && operation.kind === 'create' && operation.initialAccessToken !== undefined;
  if (status === 200 || (status === 204 && operation.kind === 'delete')) apply(draft, operation, body);
  else if (!lostRace) draft.unexpected.push(`${operation.kind}: ${status} ${JSON.stringify(body)}`);
}

function apply(draft: Draft, operation: Operation, body: unknown): void {
  const answer = body as Registration & { readonly access_token: string };
  if (operation.kind === 'invite') {
    draft.initialAccessTokens.set(answer.access_token, []);
    return;
  }
  if (operation.kind === 'create') {
    draft.clients.set(answer.client_id, { current: answer, former: [], accessTokens: [], deleted: false });
    if (operation.initialAccessToken !== undefined) {
      draft.initialAccessTokens.get(operation.initialAccessToken)?.push(answer.client_id);
    }
    return;
  }
  const client = draft.clients.get(operation.client_id);
  assert.ok(client !== undefined, `${operation.kind} of a client that was never registered`);
  if (operation.kind === 'delete') client.deleted = true;
  else if (operation.kind === 'access-token') client.accessTokens.push(answer.access_token);
  else {
    client.former.push(client.current);
    client.current = answer;
  }
}
