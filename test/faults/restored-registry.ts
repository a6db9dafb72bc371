import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../program/start.ts';
import type { Entry, Operation, Registration } from './ledger.ts';
import { introspect, list, perform } from './registry-calls.ts';
import type { Stand } from './stand.ts';
import type { Findings } from './verify-registry.ts';

/** While a backup was made, as numbers of entries in the ledger. */
export interface BackupSpan {
  /** Entries of the ledger when the backup began: it contains what they acknowledge. */
  readonly begun: number;
  /** Entries of the ledger when the backup had ended: it contains no later request. */
  readonly ended: number;
}

/** The states that a backup may hold: the last one acknowledged before it began, or a later one. */
type Possible<T> = T[];

interface Promised {
  /** Undefined: not registered, or deleted. */
  readonly clients: ReadonlyMap<string, Possible<Registration | undefined>>;
  /** Whether an access token is good. */
  readonly tokens: ReadonlyMap<string, Possible<boolean>>;
  /** Whether an initial access token was used. */
  readonly initialAccessTokens: ReadonlyMap<string, Possible<boolean>>;
}

/** Tokens of each kind that the test tries. */
const TRIED_MAX = 150;

/** Looks for everything that was acknowledged before a backup began in the registry that was restored from it (F31). */
export async function compareRestored(
  { ledger }: Stand,
  { program, inspector }: { readonly program: Program; readonly inspector: Registration },
  span: BackupSpan,
  findings: Findings,
): Promise<{ readonly clients: number; readonly tokens: number }> {
  const promised = promisedBy(ledger.entries(), span);
  compareClients(promised, await list(program), findings);
  const tokens = [...promised.tokens].slice(-TRIED_MAX);
  for (const [token, possible] of tokens) {
    const { body } = await introspect(program, inspector, token);
    const { active } = body as { readonly active: boolean };
    if (possible.includes(active)) continue;
    if (active) findings.revoked_active.push('a token that was revoked before the backup is active');
    else findings.lost.push('a token that was issued before the backup is inactive');
  }
  for (const [initialAccessToken, possible] of [...promised.initialAccessTokens].slice(-TRIED_MAX)) {
    const operation = {
      kind: 'create',
      mark: `restored ${initialAccessToken.slice(0, 8)}`,
      initialAccessToken,
    } as const;
    const { status } = await perform(program, ledger, operation);
    if (possible.includes(status === 401)) continue;
    if (status === 200)
      findings.used_twice.push('an initial access token that was used before the backup is good');
    else findings.lost.push(`an unused initial access token gives ${status}`);
  }
  return { clients: promised.clients.size, tokens: tokens.length };
}

function compareClients(
  { clients }: Promised,
  listed: readonly Registration[],
  { lost, half_written }: Findings,
): void {
  const found = new Map(listed.map((client) => [client.client_id, client]));
  for (const [client_id, possible] of clients) {
    const there = found.get(client_id);
    if (possible.some((each) => isDeepStrictEqual(each, there))) continue;
    if (there === undefined) lost.push(`${client_id}: registered before the backup, and not in it`);
    else half_written.push(`${client_id}: in the backup as it never was`);
  }
  for (const client_id of found.keys()) {
    if (!clients.has(client_id)) half_written.push(`${client_id}: in the backup, and never registered`);
  }
}

function promisedBy(entries: readonly Entry[], { begun, ended }: BackupSpan): Promised {
  const clients = new Map<string, Possible<Registration | undefined>>();
  const tokens = new Map<string, Possible<boolean>>();
  const initialAccessTokens = new Map<string, Possible<boolean>>();
  const tokensOf = new Map<string, string[]>();
  const sent = new Map<number, { readonly operation: Operation; readonly at: number }>();

  for (const [at, entry] of entries.entries()) {
    if ('sent' in entry) sent.set(entry.op, { operation: entry.sent, at });
    const asked = sent.get(entry.op);
    if (asked === undefined || !('acked' in entry)) continue;
    const isCertain = at < begun;
    const isOpen = !isCertain && asked.at < ended;
    const put = <Value>(
      into: Map<string, Possible<Value>>,
      key: string,
      absent: Value,
      value: Value,
    ): void => {
      if (isCertain) into.set(key, [value]);
      else into.set(key, [...(into.get(key) ?? [absent]), ...(isOpen ? [value] : [])]);
    };
    const { status, body } = entry.acked;
    if (status !== 200 && status !== 204) continue;
    const answer = body as Registration & { readonly access_token: string };
    const { operation } = asked;
    switch (operation.kind) {
      case 'invite':
        // An unknown token is refused like a used one.
        put(initialAccessTokens, answer.access_token, true, false);
        break;
      case 'create':
        put(clients, answer.client_id, undefined, answer);
        if (operation.initialAccessToken !== undefined)
          put(initialAccessTokens, operation.initialAccessToken, false, true);
        break;
      case 'update':
        put(clients, operation.client_id, undefined, answer);
        break;
      case 'delete':
        put(clients, operation.client_id, undefined, undefined);
        for (const token of tokensOf.get(operation.client_id) ?? []) put(tokens, token, false, false);
        break;
      case 'access-token':
        put(tokens, answer.access_token, false, true);
        tokensOf.set(operation.client_id, [
          ...(tokensOf.get(operation.client_id) ?? []),
          answer.access_token,
        ]);
        break;
      case 'revoke':
        if (tokens.has(operation.token)) put(tokens, operation.token, false, false);
        break;
      default:
    }
  }
  return { clients, tokens, initialAccessTokens };
}
