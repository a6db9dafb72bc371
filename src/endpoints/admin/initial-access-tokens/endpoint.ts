import {
  findInitialTokens,
  type InitialTokenState,
  initialTokenId,
  initialTokenState,
  initialTokensNamed,
  registrationScopeProblem,
} from '../../../clients/initial-access-tokens.ts';
import { requireAdminScopeOf } from '../../../clients/registration/admin-scope.ts';
import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import { revokeInitialAccessToken } from '../../../clients/revoke-initial-access-token.ts';
import { mintInitialAccessToken } from '../../../grants/direct-authorization/authorize-directly.ts';
import { readRequest } from '../../../grants/direct-authorization/request.ts';
import type { InitialAccessToken } from '../../../ports/access-token-store.ts';
import type { ClientLists } from '../../../ports/client-lists.ts';
import type { StoredClient } from '../../../ports/client-store.ts';
import { permitsAdmin } from '../../../spec/admin-scopes.ts';
import type { AccessTokenKey, ClientId } from '../../../spec/identifiers.ts';
import { parseJsonObject } from '../../../spec/json.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever, timeText } from '../../../spec/time-text.ts';
import { insufficientScope } from '../../../tokens/bearer-token.ts';
import {
  type AdminCall,
  acting,
  creating,
  type Item,
  listing,
  type Plan,
  reading,
  type WriteCall,
} from '../operation.ts';
import { tokenCreate, tokenList, tokenRead, tokenRevoke } from './contract.ts';

export interface AdminInitialTokenNeeds {
  readonly registry: RegistryNeeds;
  readonly storage: { readonly clientLists: Pick<ClientLists, 'read'> };
}

export const adminInitialTokens = [
  listing<AdminInitialTokenNeeds>(tokenList, async (needs, { query, page }) => {
    const { accessTokens, clock } = needs.registry;
    const [after] = page.after ?? [];
    const asked = {
      label: query['label'],
      state: query['state'] as InitialTokenState | undefined,
      after: typeof after === 'string' ? (after as AccessTokenKey) : undefined,
      limit: page.limit,
    };
    const { tokens, next } = await findInitialTokens(accessTokens.store, asked, clock.now());
    return { items: await itemsOf(needs, tokens), next: next === undefined ? undefined : [next] };
  }),
  reading<AdminInitialTokenNeeds>(tokenRead, async (needs, call) => ({
    item: await itemOf(needs, await tokenAt(needs, call)),
  })),
  creating<AdminInitialTokenNeeds>(tokenCreate, plannedToken),
  acting<AdminInitialTokenNeeds>(tokenRevoke, plannedRevocation),
];

async function tokenAt(
  { registry }: AdminInitialTokenNeeds,
  { segments }: Pick<AdminCall, 'segments'>,
): Promise<InitialAccessToken> {
  const id = segments['id'] ?? '';
  const [token, another] = id.includes('\0') ? [] : await initialTokensNamed(registry.accessTokens.store, id);
  if (token === undefined || another !== undefined) throw notFound('initial access token');
  return token;
}

const itemOf = async (needs: AdminInitialTokenNeeds, token: InitialAccessToken): Promise<Item> =>
  (await itemsOf(needs, [token]))[0] ?? {};

async function itemsOf(
  { registry: { clock }, storage: { clientLists } }: AdminInitialTokenNeeds,
  tokens: readonly InitialAccessToken[],
): Promise<readonly Item[]> {
  const ids = tokens.flatMap(({ used_by_client_id }) => used_by_client_id ?? []);
  const clients = new Map<ClientId, StoredClient>(
    (await clientLists.read([...new Set(ids)])).map(({ client }) => [client.client_id, client]),
  );
  const now = clock.now();
  return tokens.map((token) => rendered(token, clients, now));
}

function rendered(
  token: InitialAccessToken,
  clients: ReadonlyMap<ClientId, StoredClient>,
  now: number,
): Item {
  return {
    id: initialTokenId(token),
    label: token.label,
    scope: token.scope === '' ? [] : token.scope.split(' '),
    redirect_hosts: token.redirect_hosts,
    created_at: timeText(token.issued_at),
    expires_at: timeText(token.expires_at),
    state: initialTokenState(token, now),
    used_at: timeOrNever(token.used_at),
    revoked_at: timeOrNever(token.revoked_at),
    client: lineageOf(token, clients, now),
  };
}

function lineageOf(
  { used_by_client_id, used_by_instance }: InitialAccessToken,
  clients: ReadonlyMap<ClientId, StoredClient>,
  now: number,
): Item | null {
  if (used_by_client_id === null) return null;
  const client = clients.get(used_by_client_id);
  const isThere = client?.instance === used_by_instance;
  const isExpired = isThere && client.expires_at !== null && client.expires_at <= now;
  return { client_id: used_by_client_id, state: !isThere ? 'deleted' : isExpired ? 'expired' : 'active' };
}

/** Permits every registration. */
const EVERYTHING = ['client-reg'];

async function plannedToken({ registry }: AdminInitialTokenNeeds, call: WriteCall): Promise<Plan> {
  const { scope = EVERYTHING, ...rest } = call.body;
  const problem = registrationScopeProblem(scope as readonly string[]);
  if (problem !== undefined)
    throw new Problem('invalid_body', `/scope ${problem}`, {
      errors: [{ pointer: '/scope', detail: problem }],
    });
  const body = Buffer.from(JSON.stringify({ ...rest, scope }));
  const authorization = readRequest(parseJsonObject(body, registry.json));
  const { access_token, stored } = await mintInitialAccessToken(registry, authorization);
  const { label, redirect_hosts } = authorization;
  const about = {
    label,
    redirect_hosts,
    issued_at: registry.clock.now(),
    scope: authorization.scope.join(' '),
  };
  const unused = { used_at: null, used_by_client_id: null, used_by_instance: null, revoked_at: null };
  const { key, expires_at } = stored;
  const item = rendered({ ...about, ...unused, key, expires_at }, new Map(), about.issued_at);
  return {
    before: null,
    after: item,
    commit: async () => {
      const event = call.event({ detail: label === '' ? null : label });
      await registry.accessTokens.store.issueInitial(stored, about, event);
      return {
        item: { ...item, access_token },
        location: `/initial-access-tokens/${encodeURIComponent(initialTokenId(stored))}`,
      };
    },
  };
}

async function plannedRevocation(needs: AdminInitialTokenNeeds, call: WriteCall): Promise<Plan> {
  const { registry } = needs;
  const cascade = call.body['cascade'] === true;
  if (cascade && !permitsAdmin(call.caller.scope, 'admin:clients:write'))
    throw insufficientScope(['admin:clients:write'], call.caller.client_id ?? undefined);
  const before = await itemOf(needs, await tokenAt(needs, call));
  const { client, state } = before as { client: { client_id: string; state: string } | null; state: string };
  const deletes = cascade && client !== null && client.state !== 'deleted';
  if (state !== 'live' && !deletes) throw new Problem('conflict', nothingToRevoke(state, cascade));
  if (deletes) await requireRightsOf(needs, call, client.client_id);
  const after = deletes
    ? { ...before, client: { ...client, state: 'deleted' } }
    : { ...before, state: 'revoked', revoked_at: timeText(registry.clock.now()) };
  return {
    before,
    after,
    commit: async () => {
      const find = async (): Promise<InitialAccessToken> => await tokenAt(needs, call);
      const id = call.segments['id'] ?? '';
      const outcome = await revokeInitialAccessToken(registry, find, { id, cascade, ...call.by });
      const item = await itemOf(needs, await find());
      if (!outcome.revoked && outcome.deleted === undefined)
        throw new Problem('conflict', nothingToRevoke(String(item['state']), cascade));
      return { item };
    },
  };
}

/** The caller must hold what the client holds that it deletes. */
async function requireRightsOf(
  { storage }: AdminInitialTokenNeeds,
  { caller }: WriteCall,
  client_id: string,
): Promise<void> {
  const [found] = await storage.clientLists.read([client_id as ClientId]);
  if (found !== undefined) requireAdminScopeOf(found.client, caller.scope);
}

function nothingToRevoke(state: string, cascade: boolean): string {
  if (state === 'revoked') return 'the token was revoked before';
  if (state === 'expired') return 'the token has expired';
  return cascade
    ? 'the token was used, and its client is gone already'
    : 'the token was used: with cascade, its client is deleted';
}
