import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import type { Account } from '../../ports/account-directory.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { IDENTIFIER_LENGTHS, type SessionId } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { memberOf } from '../../spec/scope.ts';
import { ID_JAG_TYP, ID_JAG_TYPE, ID_TOKEN_TYPE_URI } from '../../spec/token-types.ts';
import { type HeldIdToken, readIdTokenHint } from '../../tokens/id-token-hint.ts';
import { invalidTarget } from '../audience.ts';
import { accountInUse, type EndUserNeeds } from '../end-users.ts';
import type { Granted, GrantNeeds } from '../grant.ts';
import { type ExchangePolicy, type IdJagPolicy, scopeWithin } from './exchange-policy.ts';
import { unacceptableToken } from './exchanged-token.ts';

/** Claims of the ID token that go on: how the end-user was authenticated, and the address that the other server may know. */
const CARRIED = ['auth_time', 'acr', 'amr', 'email', 'email_verified'];

/**
 * Issues an identity assertion grant: a JWT by which the client gets a token about the end-user of its ID token at another
 * authorisation server (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.3). The policy of the operator stands for the consent.
 */
export async function issueIdJag(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  policy: ExchangePolicy,
  parameters: Parameters,
  origin: RequestOrigin,
): Promise<Granted> {
  const { idToken, account } = await assertedIdentity(needs, client, parameters);
  const target = targetOf(policy, parameters['audience']);
  const resource = resourceOf(target, parameters['resource']);
  const wanted = parameters['scope'];
  const granted =
    wanted === undefined
      ? target.scope
      : scopeWithin(target.scope, wanted, 'is not in the policy of the client');
  const scope = granted.join(' ');
  const now = needs.clock.now();
  const expires_at = Math.min(now + needs.settings['token-exchange.id-jag-lifetime'], idToken.expires_at);
  const carried = CARRIED.flatMap((name) =>
    idToken.claims[name] === undefined ? [] : [[name, idToken.claims[name]] as const],
  );
  const claims = {
    ...Object.fromEntries(carried),
    iss: needs.issuer,
    sub: account.sub,
    aud: target.audience,
    client_id: target.client_id ?? client.stored.client_id,
    jti: needs.accessTokens.random.alphanumeric(IDENTIFIER_LENGTHS.instance),
    iat: now,
    exp: expires_at,
    ...(resource.length === 0 ? {} : { resource: resource.length === 1 ? resource[0] : resource }),
    ...(scope === '' ? {} : { scope }),
  };
  const alg = needs.settings['access-token.signature-algorithm'];
  const { jwt } = await needs.idTokens.clientJwts.keys.beginToSign(claims, { alg, typ: ID_JAG_TYP });
  const access_token = await jwt;
  const { client_id } = client.stored;
  const detail = `identity assertion grant for ${target.audience}`;
  const about = { sub: account.sub, client_id, actor: `client:${client_id}`, detail };
  const event = personEvent(needs, 'token.exchange', about, origin);
  await needs.audit.append(event);
  logEvent(needs, event);
  needs.metrics.count('chancery_token_exchanges_total', { kind: 'id-jag' });
  return {
    // RFC 8693 §2.2.1: N_A, "If the token being issued is not an access token".
    response: {
      access_token,
      token_type: 'N_A',
      expires_in: expires_at - now,
      scope,
      issued_token_type: ID_JAG_TYPE,
    },
    token: undefined,
    sub: undefined,
  };
}

interface AssertedIdentity {
  readonly idToken: HeldIdToken & { readonly expires_at: number };
  readonly account: Account;
}

/**
 * Returns the ID token of the request and its end-user, who is still signed in. The ID token was issued to this client: §4.3.1, "the
 * audience of the Subject Token … matches the client_id of the client authentication".
 */
async function assertedIdentity(
  { idTokenHints, endUsers, clock }: GrantNeeds,
  client: AuthenticatedClient,
  { subject_token, subject_token_type, actor_token, actor_token_type }: Parameters,
): Promise<AssertedIdentity> {
  if (subject_token === undefined) throw refused('is missing');
  if (subject_token_type !== ID_TOKEN_TYPE_URI)
    throw new OAuthError('invalid_request', {
      error_description: `subject_token_type must be ${ID_TOKEN_TYPE_URI} for ${ID_JAG_TYPE}`,
      reason: 'token-type',
      values: { subject_token_type },
    });
  if (actor_token !== undefined || actor_token_type !== undefined)
    throw new OAuthError('invalid_request', {
      error_description: `actor_token is not used for ${ID_JAG_TYPE}`,
      reason: 'token-type',
    });
  const idToken = await readIdTokenHint(idTokenHints, subject_token);
  if (!idToken.holds) throw refused('is not an ID token of this server', idToken.reason);
  const { stored, metadata } = client;
  if (idToken.client_id !== stored.client_id) throw refused('was issued to another client');
  const [iat, expires_at] = [Number(idToken.claims['iat']), Number(idToken.claims['exp'])];
  if (expires_at <= clock.now()) throw refused('has expired');
  // A deleted client that was registered again inherits nothing.
  if (iat < stored.issued_at) throw refused('is older than the registration of the client');
  if (metadata['subject_type'] === 'pairwise')
    throw refused('is of a client with pairwise subjects, which no other server knows');
  const account = endUsers === undefined ? undefined : await accountInUse(endUsers, idToken.sub);
  if (endUsers === undefined || account === undefined) throw refused('is about no account in use');
  if (!(await isSignedIn(endUsers, idToken))) throw refused('is of a session that has ended');
  return { idToken: { ...idToken, expires_at }, account };
}

/** Says whether the session of an ID token lives. One without a session is good until it expires. */
async function isSignedIn({ sessions, clock }: EndUserNeeds, { sid, sub }: HeldIdToken): Promise<boolean> {
  if (sid === undefined) return true;
  const session = await sessions.findBySid(sid as SessionId);
  return session?.sub === sub && clock.now() < session.expires_at;
}

const refused = (problem: string, detail?: string): OAuthError =>
  unacceptableToken('subject_token', problem, detail === undefined ? {} : { detail });

/** Returns the other authorisation server. @throws OAuthError invalid_target */
function targetOf({ idJag }: ExchangePolicy, audience: string | undefined): IdJagPolicy {
  const target = idJag.find((one) => one.audience === audience);
  if (target !== undefined) return target;
  const allowed = idJag.map((one) => one.audience).join(' ');
  throw invalidTarget(
    audience === undefined
      ? `audience is missing, allowed: ${quotedValue(allowed)}`
      : `the client may get no identity assertion grant for the audience ${quotedValue(audience)}, allowed: ${quotedValue(allowed)}`,
  );
}

/** Returns the requested resources, or the only one that the policy has. */
function resourceOf({ resources }: IdJagPolicy, requested: string | undefined): readonly string[] {
  if (requested === undefined) return resources.length === 1 ? resources : [];
  const values = [...new Set(requested.split(' '))];
  const isAllowed = memberOf(resources);
  const excess = values.find((value) => !isAllowed(value));
  if (excess === undefined) return values;
  throw invalidTarget(
    `resource ${quotedValue(excess)} is not in the policy of the client, allowed: ${quotedValue(resources.join(' '))}`,
  );
}
