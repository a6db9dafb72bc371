import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import { registeredScope } from '../../clients/registered-client.ts';
import type { Settings } from '../../config/settings.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { memberOf, parseScope } from '../../spec/scope.ts';
import type { RegisteredExchangePolicy } from '../../spec/token-exchange-policy.ts';
import { parseUri } from '../../spec/uri.ts';
import { withoutAdminScope } from '../admin-scope.ts';
import { invalidTarget } from '../audience.ts';

/** The exchanges that a client may make. */
export interface ExchangePolicy {
  readonly audiences: readonly string[];
  readonly scope: readonly string[];
  /** Undefined: any. */
  readonly subjectClients: readonly string[] | undefined;
  /** Other issuers whose tokens it may exchange. */
  readonly subjectIssuers: readonly string[];
  /** Undefined: tokens of the client itself. */
  readonly actors: readonly string[] | undefined;
  readonly impersonation: boolean;
  /** Seconds. */
  readonly lifetime: number | undefined;
  /** Other authorisation servers that it may get identity assertion grants for. */
  readonly idJag: readonly IdJagPolicy[];
}

export interface IdJagPolicy {
  /** The issuer identifier of the other server. */
  readonly audience: string;
  /** The client there; undefined: the same identifier. */
  readonly client_id: string | undefined;
  readonly resources: readonly string[];
  readonly scope: readonly string[];
}

/**
 * Returns the policy of a client: the one in its registration, otherwise the one in the settings.
 * @throws OAuthError unauthorized_client without a policy, and for a client that does not authenticate: anyone could exchange
 * what anyone stole
 */
export function requirePolicy(settings: Settings, { stored, metadata }: AuthenticatedClient): ExchangePolicy {
  if (metadata.token_endpoint_auth_method === 'none')
    throw unauthorized(
      'a public client may not exchange tokens; it must register a method of authentication',
    );
  const registered = metadata['chancery_token_exchange'] as RegisteredExchangePolicy | undefined;
  const own = withoutAdminScope(registeredScope(stored));
  if (registered !== undefined)
    return {
      audiences: registered.audiences ?? [],
      scope: registered.scope === undefined ? own : (parseScope(registered.scope) ?? []),
      subjectClients: registered.subject_clients,
      subjectIssuers: registered.subject_issuers ?? [],
      actors: registered.actors,
      impersonation: registered.impersonation ?? false,
      lifetime: registered.lifetime,
      idJag: (registered.id_jag ?? []).map(({ audience, client_id, resources = [], scope = '' }) => ({
        audience,
        client_id,
        resources,
        scope: parseScope(scope) ?? [],
      })),
    };
  const configured = settings['token-exchange.policies'].find(({ clients }) =>
    clients.includes(stored.client_id),
  );
  if (configured === undefined)
    throw unauthorized('the client has no policy for exchanges: ask the operator of this server for one');
  return {
    audiences: configured.audiences ?? [],
    scope: configured.scope ?? own,
    subjectClients: configured['subject-clients'],
    subjectIssuers: configured['subject-issuers'] ?? [],
    actors: configured.actors,
    impersonation: configured.impersonation,
    lifetime: configured.lifetime,
    idJag: (configured['id-jag'] ?? []).map((one) => ({
      audience: one.audience,
      client_id: one['client-id'],
      resources: one.resources ?? [],
      scope: one.scope ?? [],
    })),
  };
}

function unauthorized(error_description: string): OAuthError {
  return new OAuthError('unauthorized_client', { error_description, reason: 'exchange-policy' });
}

/**
 * Returns the audience of the new token: the requested `audience` and `resource` values, or the only one that the policy has.
 * @param wanted the values of each parameter, separated by spaces
 * @throws OAuthError invalid_target (RFC 8693 §2.2.2)
 */
export function exchangedAudience(
  { audiences }: ExchangePolicy,
  wanted: { readonly audience: string | undefined; readonly resource: string | undefined },
): readonly string[] {
  const resources = wanted.resource?.split(' ') ?? [];
  const malformed = resources.find((resource) => parseUri(resource)?.hasFragment !== false);
  if (malformed !== undefined)
    throw invalidTarget(`resource ${quotedValue(malformed)} must be an absolute URI without a fragment`);
  const values = [...new Set([...(wanted.audience?.split(' ') ?? []), ...resources])];
  const isAllowed = memberOf(audiences);
  const excess = values.find((value) => !isAllowed(value));
  if (excess !== undefined)
    throw invalidTarget(
      `the client may not exchange tokens for the audience ${quotedValue(excess)}, allowed: ${quotedValue(audiences.join(' '))}`,
    );
  if (values.length > 0) return values;
  if (audiences.length === 1) return audiences;
  throw invalidTarget(`audience or resource is missing, allowed: ${quotedValue(audiences.join(' '))}`);
}

/**
 * Returns the scope of the new token: the requested values, or all that the subject token and the policy have in common. Scope
 * never widens. `offline_access` means a refresh token, and an exchange gives none.
 * @param held the scope of the subject token
 * @throws OAuthError invalid_scope
 */
export function exchangedScope(
  policy: ExchangePolicy,
  held: readonly string[],
  requested: string | undefined,
): readonly string[] {
  const isAllowed = memberOf(withoutAdminScope(policy.scope));
  const grantable = held.filter((value) => isAllowed(value) && value !== 'offline_access');
  if (requested === undefined) {
    if (grantable.length > 0 || held.length === 0) return grantable;
    throw invalidScope(
      `the policy of the client allows none of the values of the subject token: ${quotedValue(held.join(' '))}`,
      'scope-not-granted',
    );
  }
  return scopeWithin(grantable, requested, 'is not in the subject token, or not in the policy of the client');
}

/**
 * Returns the requested scope values.
 * @param problem words about a value that is not among the grantable ones
 * @throws OAuthError invalid_scope
 */
export function scopeWithin(
  grantable: readonly string[],
  requested: string,
  problem: string,
): readonly string[] {
  const values = parseScope(requested);
  if (values === undefined)
    throw invalidScope('scope must be scope values separated by spaces', 'scope-form');
  const isGrantable = memberOf(grantable);
  const excess = values.find((value) => !isGrantable(value));
  if (excess === undefined) return values;
  throw invalidScope(
    `scope value ${quotedValue(excess)} ${problem}, allowed: ${quotedValue(grantable.join(' '))}`,
    'scope-not-granted',
  );
}

function invalidScope(error_description: string, reason: 'scope-form' | 'scope-not-granted'): OAuthError {
  return new OAuthError('invalid_scope', { error_description, reason });
}
