import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import { ADMIN_SCOPES, type AdminScope, permitsAdmin } from '../../spec/admin-scopes.ts';
import { OAuthError } from '../../spec/errors.ts';
import { bearerChallenge } from '../../spec/www-authenticate.ts';
import { type AccessTokenNeeds, findAccessToken, scopeOf } from '../../tokens/access-token.ts';
import {
  insufficientScope,
  invalidToken,
  type MasterToken,
  masterTokenOf,
  presentedBearer,
} from '../../tokens/bearer-token.ts';
import { isConfirmed } from '../../tokens/confirmation.ts';
import type { EndpointRequest } from '../contract.ts';

/** The tokens of one tenant that open its administration. */
export interface AdminTokens {
  readonly issuer: string;
  readonly accessTokens: AccessTokenNeeds;
  readonly breakGlass: readonly MasterToken[];
}

export interface AdminAuthenticationNeeds {
  /** The tokens of this tenant, and those of the default tenant where it is another one. */
  readonly adminTokens: {
    readonly own: AdminTokens;
    readonly superior: (() => AdminTokens | undefined) | undefined;
  };
  readonly settings: Pick<Settings, 'limits.bearer-token'>;
}

/** The party that calls the administration API. */
export interface AdminCaller {
  /** For the audit: `admin:client:ID`, `admin:account:SUB` or `admin:break-glass:LABEL`. */
  readonly actor: string;
  /** Every scope value of a break-glass token, or those of the access token. */
  readonly scope: readonly string[];
  /** Null for a break-glass token. */
  readonly client_id: string | null;
  /** The account; undefined for a client that acts for itself, and for a break-glass token. */
  readonly sub: string | undefined;
  /** When the access token expires, in seconds since the Unix epoch; undefined for a break-glass token. */
  readonly expires_at: number | undefined;
  /** Says whether the token still opens the API: a stream asks again and again. */
  readonly isLive: () => Promise<boolean>;
}

const ALL_TENANTS: AdminScope = 'admin:all-tenants';

/**
 * Authenticates the caller of an operation, and checks its scope.
 * @throws OAuthError invalid_token, insufficient_scope
 */
export async function adminCaller(
  needs: AdminAuthenticationNeeds,
  request: Pick<EndpointRequest, 'headers' | 'clientCertificate'>,
  scope: AdminScope,
): Promise<AdminCaller> {
  const token = presentedBearer(request.headers['authorization'], needs.settings['limits.bearer-token']);
  if (token === undefined) throw tokenNeeded(scope);
  const { own, superior } = needs.adminTokens;
  const caller =
    (await callerAmong(own, token, request)) ?? (await callerOfAllTenants(superior?.(), token, request));
  if (caller === undefined) throw invalidToken();
  if (!permitsAdmin(caller.scope, scope)) throw insufficientScope([scope], caller.client_id ?? undefined);
  return caller;
}

async function callerAmong(
  tokens: AdminTokens,
  presented: string,
  { clientCertificate }: Pick<EndpointRequest, 'clientCertificate'>,
): Promise<AdminCaller | undefined> {
  const master = masterTokenOf(digestOf(presented), tokens.breakGlass);
  if (master !== undefined)
    return {
      actor: `admin:break-glass:${master.label}`,
      scope: ADMIN_SCOPES,
      client_id: null,
      sub: undefined,
      expires_at: undefined,
      isLive: async () => true,
    };
  const found = await findAccessToken(tokens.accessTokens, presented);
  // An initial access token belongs to no client.
  if (found === undefined || found.client_instance === null) return undefined;
  const client = found.client_id;
  if (!isConfirmed(found, { certificate: clientCertificate }))
    throw invalidToken({ reason: 'certificate-binding', client });
  const { sub, aud } = membersOf(found);
  if (aud !== undefined && !isForThisServer(tokens, aud))
    throw invalidToken({ reason: 'token-audience', client });
  const isClient = sub === client;
  return {
    actor: isClient ? `admin:client:${client}` : `admin:account:${sub}`,
    scope: scopeOf(found),
    client_id: client,
    sub: isClient ? undefined : sub,
    expires_at: found.expires_at,
    isLive: async () => (await findAccessToken(tokens.accessTokens, presented)) !== undefined,
  };
}

/** A token of the default tenant administers another tenant only if its scope says so. */
async function callerOfAllTenants(
  tokens: AdminTokens | undefined,
  presented: string,
  request: Pick<EndpointRequest, 'clientCertificate'>,
): Promise<AdminCaller | undefined> {
  if (tokens === undefined) return undefined;
  const caller = await callerAmong(tokens, presented, request);
  if (caller === undefined || caller.scope.includes(ALL_TENANTS)) return caller;
  // Like a token of any other tenant: the caller learns nothing about the default tenant.
  throw invalidToken({
    reason: 'foreign-tenant',
    ...(caller.client_id === null ? {} : { client: caller.client_id }),
  });
}

function membersOf({ introspection }: StoredAccessToken): {
  readonly sub: string;
  readonly aud?: readonly string[];
} {
  return JSON.parse(introspection) as { readonly sub: string; readonly aud?: readonly string[] };
}

/** RFC 9068 §4: a token for another resource server opens nothing here, so that resource servers cannot use the tokens they receive. */
function isForThisServer(
  { issuer, accessTokens: { selfContained } }: AdminTokens,
  aud: readonly string[],
): boolean {
  return aud.includes(issuer) || aud.some((each) => selfContained.defaultAudience.includes(each));
}

/** RFC 6750 §3: no error code without credentials. */
function tokenNeeded(scope: AdminScope): OAuthError {
  return new OAuthError('invalid_token', {
    error_description: `a bearer token with the scope ${scope} is needed`,
    challenge: bearerChallenge({ scope }),
    reason: 'no-bearer-token',
  });
}
