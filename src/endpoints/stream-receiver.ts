import { originOf, type PersonEventNeeds, personEvent } from '../clients/person-event.ts';
import type { Settings } from '../config/settings.ts';
import type { EventOf } from '../events/signals/manage-stream.ts';
import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import { parseParameters } from '../spec/parameters.ts';
import { Problem } from '../spec/problems.ts';
import {
  type AccessTokenNeeds,
  findAccessToken,
  isForThisServer,
  membersOf,
  scopeOf,
} from '../tokens/access-token.ts';
import { insufficientScope, invalidToken } from '../tokens/bearer-token.ts';
import type { DpopNeeds } from '../tokens/dpop-proof.ts';
import { accessTokenNeeded, presentedAccessToken, requireHolder } from '../tokens/presented-token.ts';
import type { Contract, EndpointRequest } from './contract.ts';

/** The scope values for the management of streams (OpenID CAEP Interoperability Profile 1.0 §2.7.2). */
const STREAM_SCOPES = { manage: 'ssf.manage', read: 'ssf.read' } as const;

export interface ReceiverNeeds {
  readonly accessTokens: AccessTokenNeeds;
  readonly clients: Pick<ClientStore, 'find'>;
  readonly dpop: DpopNeeds;
  readonly settings: Settings;
}

/**
 * Returns the client that calls the management of its streams. Its token must be its own: a token that a person gave it says
 * nothing about streams, which concern all persons.
 * @throws OAuthError invalid_token, insufficient_scope
 */
export async function receiverOf(
  { accessTokens, clients, dpop, settings }: ReceiverNeeds,
  contract: Pick<Contract, 'method' | 'path'>,
  { method, headers, clientCertificate: certificate, segments }: EndpointRequest,
): Promise<StoredClient> {
  const presented = presentedAccessToken(headers['authorization'], settings['limits.bearer-token']);
  if (presented === undefined) throw accessTokenNeeded(settings);
  const token = await findAccessToken(accessTokens, presented.token);
  if (token === undefined) throw invalidToken();
  const { client_id } = token;
  const path = pathOf(contract, segments);
  await requireHolder(dpop, token, presented, { method, path, proof: headers['dpop'], certificate });
  if (!isForThisServer(accessTokens, token))
    throw invalidToken({ reason: 'token-audience', client: client_id });
  const scope = scopeOf(token);
  const { manage, read } = STREAM_SCOPES;
  const permits = scope.includes(manage) || (contract.method === 'GET' && scope.includes(read));
  if (!permits) throw insufficientScope([contract.method === 'GET' ? read : manage], client_id);
  const client = await clients.find(client_id);
  const isOwn = membersOf(token).sub === client_id && client?.instance === token.client_instance;
  if (client === undefined || !isOwn)
    throw invalidToken({
      reason: 'not-own-token',
      detail: 'the token is not one that a registered client got for itself',
      client: client_id,
    });
  return client;
}

const pathOf = ({ path }: Pick<Contract, 'path'>, segments: EndpointRequest['segments']): string =>
  path.replaceAll(/\{([a-z_]+)\}/gu, (_, name: string) => segments[name] ?? '');

/** Makes the audit events of a client that manages its streams. */
export function receiverEvents(
  needs: PersonEventNeeds,
  { client_id }: Pick<StoredClient, 'client_id'>,
  request: EndpointRequest,
): EventOf {
  const actor = `client:${client_id}`;
  return (action, detail) =>
    personEvent(needs, action, { sub: undefined, client_id, actor, detail }, originOf(request));
}

const PARAMETERS_MAX = 32;

/** Reads `stream_id` from a query. @throws OAuthError invalid_request if it is repeated */
export const streamIdIn = (query: string): string | undefined =>
  parseParameters(query, new Set(['stream_id']), { parameters: PARAMETERS_MAX })['stream_id'];

/** @throws Problem invalid_parameter */
export function requiredStreamId(query: string): string {
  const id = streamIdIn(query);
  if (id !== undefined) return id;
  throw new Problem('invalid_parameter', 'stream_id is missing', {
    errors: [{ pointer: 'stream_id', detail: 'is missing' }],
  });
}
