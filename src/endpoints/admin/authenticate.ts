import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import { ADMIN_SCOPES, type AdminScope, permitsAdmin } from '../../spec/admin-scopes.ts';
import { administrationResource } from '../../spec/protected-resource.ts';
import {
  type AccessTokenNeeds,
  findAccessToken,
  isForThisServer,
  membersOf,
  scopeOf,
} from '../../tokens/access-token.ts';
import {
  insufficientScope,
  invalidToken,
  type MasterToken,
  masterTokenOf,
} from '../../tokens/bearer-token.ts';
import type { DpopNeeds } from '../../tokens/dpop-proof.ts';
import {
  accessTokenNeeded,
  type PresentedToken,
  type ProvingRequest,
  presentedAccessToken,
  requireHolder,
} from '../../tokens/presented-token.ts';
import type { EndpointRequest } from '../contract.ts';

/** The tokens of one tenant that open its administration. */
export interface AdminTokens {
  readonly issuer: string;
  readonly accessTokens: AccessTokenNeeds;
  readonly breakGlass: readonly MasterToken[];
  /** For tokens that are bound to a key. Every proof of a tenant's token is remembered there. */
  readonly dpop: DpopNeeds;
}

export interface AdminAuthenticationNeeds {
  /** The tokens of this tenant, and those of the default tenant where it is another one. */
  readonly adminTokens: {
    readonly own: AdminTokens;
    readonly superior: (() => AdminTokens | undefined) | undefined;
  };
  readonly settings: Settings;
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

/** A token as the request shows it, and the proofs that came with it. */
interface Presented extends PresentedToken {
  readonly proving: ProvingRequest;
  /** The addresses and nonces of the called tenant: a proof is about its operation, whichever tenant issued the token. */
  readonly dpop: DpopNeeds;
}

/**
 * Authenticates the caller of an operation, and checks its scope.
 * @throws OAuthError invalid_token, insufficient_scope, invalid_dpop_proof, use_dpop_nonce
 */
export async function adminCaller(
  needs: AdminAuthenticationNeeds,
  { path, scope }: { readonly path: string; readonly scope: AdminScope },
  { method, headers, segments, clientCertificate: certificate }: CallingRequest,
): Promise<AdminCaller> {
  const token = presentedAccessToken(headers['authorization'], needs.settings['limits.bearer-token']);
  if (token === undefined) throw accessTokenNeeded(needs.settings, { scope });
  const { own, superior } = needs.adminTokens;
  const address = path.replaceAll(/\{([a-z_]+)\}/gu, (_, name: string) => segments[name] ?? '');
  const proving = { method, path: address, proof: headers['dpop'], certificate };
  const presented: Presented = { ...token, proving, dpop: own.dpop };
  const caller = (await callerAmong(own, presented)) ?? (await callerOfAllTenants(superior?.(), presented));
  if (caller === undefined) throw invalidToken();
  if (!permitsAdmin(caller.scope, scope)) throw insufficientScope([scope], caller.client_id ?? undefined);
  return caller;
}

type CallingRequest = Pick<EndpointRequest, 'method' | 'headers' | 'segments' | 'clientCertificate'>;

async function callerAmong(tokens: AdminTokens, presented: Presented): Promise<AdminCaller | undefined> {
  const { token } = presented;
  const master = masterTokenOf(digestOf(token), tokens.breakGlass);
  if (master !== undefined) {
    // It is bound to no key.
    if (presented.scheme !== 'Bearer') throw invalidToken({ reason: 'other-scheme-than-bearer' });
    return {
      actor: `admin:break-glass:${master.label}`,
      scope: ADMIN_SCOPES,
      client_id: null,
      sub: undefined,
      expires_at: undefined,
      isLive: async () => true,
    };
  }
  const found = await findAccessToken(tokens.accessTokens, token);
  // An initial access token belongs to no client.
  if (found === undefined || found.client_instance === null) return undefined;
  const client = found.client_id;
  await requireHolder(
    { ...presented.dpop, replays: tokens.dpop.replays },
    found,
    presented,
    presented.proving,
  );
  const resource = administrationResource(tokens.accessTokens.issuer);
  if (!isForThisServer(tokens.accessTokens, found, resource))
    throw invalidToken({ reason: 'token-audience', client });
  const { sub } = membersOf(found);
  const isClient = sub === client;
  return {
    actor: isClient ? `admin:client:${client}` : `admin:account:${sub}`,
    scope: scopeOf(found),
    client_id: client,
    sub: isClient ? undefined : sub,
    expires_at: found.expires_at,
    isLive: async () => (await findAccessToken(tokens.accessTokens, token)) !== undefined,
  };
}

/** A token of the default tenant administers another tenant only if its scope says so. */
async function callerOfAllTenants(
  tokens: AdminTokens | undefined,
  presented: Presented,
): Promise<AdminCaller | undefined> {
  if (tokens === undefined) return undefined;
  const caller = await callerAmong(tokens, presented);
  if (caller === undefined || caller.scope.includes(ALL_TENANTS)) return caller;
  // Like a token of any other tenant: the caller learns nothing about the default tenant.
  throw invalidToken({
    reason: 'foreign-tenant',
    ...(caller.client_id === null ? {} : { client: caller.client_id }),
  });
}
