import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import { subjectFor } from '../../clients/issued-jwt/pairwise-subject.ts';
import { namesClient } from '../../clients/named-audience.ts';
import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { TOKEN_EXCHANGE_GRANT } from '../../spec/grant-types.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { ACCESS_TOKEN_TYPE, ID_JAG_TYPE, JWT_TYPE } from '../../spec/token-types.ts';
import type { Grant, GrantNeeds } from '../grant.ts';
import { type MintedToken, mintToken, type TokenContent } from '../issue-token.ts';
import { tokenConfirmation } from '../token-confirmation.ts';
import { type ActingParty, actingParty, actOf, requireMayAct } from './acting-party.ts';
import { type ExchangePolicy, exchangedAudience, exchangedScope, requirePolicy } from './exchange-policy.ts';
import { type ExchangedToken, tokenForExchange, unacceptableToken } from './exchanged-token.ts';
import { issueIdJag } from './id-jag.ts';

/**
 * Issues an access token for another token: for its subject, to a client that its policy permits that (RFC 8693 §2). The new token
 * has no more scope than the old one, expires no later, and ends with it.
 */
export const tokenExchange: Grant = {
  grant_type: TOKEN_EXCHANGE_GRANT,
  parameters: [
    'subject_token',
    'subject_token_type',
    'actor_token',
    'actor_token_type',
    'requested_token_type',
    'audience',
    'scope',
  ],
  isOffered: ({ settings }) => settings['token-exchange.enabled'],
  async handle(needs, client, parameters, origin) {
    const policy = requirePolicy(needs.settings, client);
    if (parameters['requested_token_type'] === ID_JAG_TYPE)
      return await issueIdJag(needs, client, policy, parameters, origin);
    const requested = requestedType(parameters['requested_token_type']);
    const subject = await subjectToken(needs, client, policy, { ...origin, parameters });
    const actor = await actorToken(needs, client, { ...origin, parameters });
    const party = actingParty(client, policy, actor, {
      issuer: needs.issuer,
      sub: (token) => clientSubject(needs, client, token),
    });
    requireMayAct(subject, party);
    const { audience: wanted, resource, scope: wantedScope } = parameters;
    const audience = exchangedAudience(policy, { audience: wanted, resource });
    const scope = exchangedScope(policy, subject.scope, wantedScope);
    requireChain(needs, subject, actor);
    const isDelegation = actor !== undefined || !policy.impersonation;
    const exchange = { policy, subject, actor, party, audience, scope, isDelegation };
    const { stored: token, response } = await minted(needs, client, exchange, requested);
    const event = eventOf(needs, client, exchange, origin);
    const origins = [subject, actor].flatMap((given) => given?.stored?.key ?? []);
    if (!(await needs.accessTokens.store.exchange(token, origins, event)))
      throw unacceptableToken('subject_token', 'or actor_token has ended meanwhile');
    logEvent(needs, event);
    needs.metrics.count('chancery_token_exchanges_total', {
      kind: isDelegation ? 'delegation' : 'impersonation',
    });
    return { response: { ...response, issued_token_type: requested }, token, sub: undefined };
  },
};

/** An exchange that the policy permits. */
interface Exchange {
  readonly policy: ExchangePolicy;
  readonly subject: ExchangedToken;
  readonly actor: ExchangedToken | undefined;
  readonly party: ActingParty;
  readonly audience: readonly string[];
  readonly scope: readonly string[];
  /** Whether the new token says who acts. */
  readonly isDelegation: boolean;
}

/**
 * Returns the type of the token to issue. A refresh token would let a delegate outlive the subject's token, and an ID token is for
 * the client that the end-user signed in to.
 */
function requestedType(requested: string | undefined): typeof ACCESS_TOKEN_TYPE | typeof JWT_TYPE {
  if (requested === undefined || requested === ACCESS_TOKEN_TYPE) return ACCESS_TOKEN_TYPE;
  if (requested === JWT_TYPE) return JWT_TYPE;
  throw new OAuthError('invalid_request', {
    error_description: `requested_token_type ${quotedValue(requested)} is not supported, supported: ${ACCESS_TOKEN_TYPE}, ${JWT_TYPE}, ${ID_JAG_TYPE}`,
    reason: 'token-type',
    values: { requested_token_type: requested },
  });
}

/**
 * Returns the subject token. The client must be its holder by right: the client that it was issued to, or one that it is for. A
 * thief with credentials of another client gains nothing by it.
 */
async function subjectToken(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  policy: ExchangePolicy,
  { parameters: { subject_token: token, subject_token_type: type }, remoteAddress }: Received,
): Promise<ExchangedToken> {
  if (token === undefined)
    throw new OAuthError('invalid_request', {
      error_description: 'subject_token is missing',
      reason: 'missing-parameter',
    });
  const subject = await tokenForExchange(needs, client, 'subject_token', { token, type, remoteAddress });
  requireRightfulHolder(client, policy, subject);
  return subject;
}

/** The parameters of a request, and where it comes from. */
interface Received {
  readonly parameters: Parameters;
  readonly remoteAddress: string;
}

/**
 * Requires that the client holds the token by right: it was issued to the client or is for it, or another issuer made it for this
 * server and the policy names that issuer.
 */
function requireRightfulHolder(
  client: AuthenticatedClient,
  { subjectClients, subjectIssuers }: ExchangePolicy,
  { client_id, iss, audience = [] }: ExchangedToken,
): void {
  const refused = (problem: string) =>
    unacceptableToken('subject_token', problem, { values: { issued_to: client_id, iss } });
  if (client_id === undefined) {
    if (!subjectIssuers.includes(iss))
      throw refused('has an issuer whose tokens this client may not exchange');
    return;
  }
  const isMeant = namesClient(audience, client.stored.client_id, client.metadata);
  if (client_id !== client.stored.client_id && !isMeant)
    throw refused('was issued to another client and is not for this one');
  if (subjectClients?.includes(client_id) === false)
    throw refused('is of a client whose tokens this client may not exchange');
}

async function actorToken(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  { parameters: { actor_token: token, actor_token_type: type }, remoteAddress }: Received,
): Promise<ExchangedToken | undefined> {
  if (token !== undefined)
    return await tokenForExchange(needs, client, 'actor_token', { token, type, remoteAddress });
  if (type === undefined) return undefined;
  // RFC 8693 §2.1: actor_token_type "MUST NOT be included otherwise".
  throw new OAuthError('invalid_request', {
    error_description: 'actor_token_type must not be sent without actor_token',
    reason: 'missing-parameter',
  });
}

/** The number of tokens that a token and its own origins are. */
const lengthOf = ({ stored }: ExchangedToken): number =>
  stored === undefined ? 0 : 1 + (stored.via?.split(' ').length ?? 0);

function requireChain(
  { settings }: GrantNeeds,
  subject: ExchangedToken,
  actor: ExchangedToken | undefined,
): void {
  const max = settings['token-exchange.chain-max'];
  if (lengthOf(subject) + (actor === undefined ? 0 : lengthOf(actor)) <= max) return;
  throw unacceptableToken(
    'subject_token',
    `was exchanged too often: a token may come from at most ${max} tokens`,
  );
}

/** Makes the new token. It stays bound to the keys of the subject token, and expires no later than either token. */
async function minted(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  { policy, subject, actor, party, audience, scope, isDelegation }: Exchange,
  requested: string,
): Promise<MintedToken> {
  const proven = await tokenConfirmation(needs, client);
  const bound = subject.cnf;
  const confirmation = bound === undefined && proven === undefined ? undefined : { ...bound, ...proven };
  const endsAt = Math.min(subject.expires_at, actor?.expires_at ?? Infinity);
  const act = actOf(subject, party, isDelegation);
  const content = {
    ...namesOf(needs, client, subject),
    scope,
    audience,
    more: {
      ...subject.more,
      ...(act === undefined ? {} : { act }),
      ...(subject.may_act === undefined ? {} : { may_act: subject.may_act }),
    },
  };
  const particulars = { confirmation, grant_id: subject.stored?.grant_id ?? undefined, endsAt };
  return await mintToken(needs, client, content, {
    ...particulars,
    ...(policy.lifetime === undefined ? {} : { lifetime: policy.lifetime }),
    ...(requested === JWT_TYPE ? { format: 'self-contained' } : {}),
  });
}

/** Returns the subject of a token as the client knows it. A client that acts for itself has the same name everywhere. */
function clientSubject(
  { idTokens }: GrantNeeds,
  { metadata }: AuthenticatedClient,
  { sub, client_id }: ExchangedToken,
): string {
  return sub === client_id ? sub : subjectFor(metadata, sub, idTokens.pairwiseSecret);
}

/** Returns the names of the subject. A client with pairwise subjects learns neither the account nor its user name. */
function namesOf(
  needs: GrantNeeds,
  client: AuthenticatedClient,
  subject: ExchangedToken,
): Pick<TokenContent, 'sub' | 'clientSub' | 'username'> {
  const { sub, username } = subject;
  const clientSub = clientSubject(needs, client, subject);
  return clientSub === sub ? { sub, username } : { sub, clientSub };
}

/** Characters of the audience that the audit shows. */
const AUDIENCE_SHOWN_MAX = 200;

function eventOf(
  needs: GrantNeeds,
  { stored: { client_id } }: AuthenticatedClient,
  { subject, party, audience, isDelegation }: Exchange,
  origin: RequestOrigin,
): AuditEvent {
  const actor = isDelegation ? `actor ${party.sub}` : 'no actor';
  const target = audience.join(' ').slice(0, AUDIENCE_SHOWN_MAX);
  const detail = `token of ${subject.client_id ?? subject.iss}, ${actor}, for ${target}`;
  const about = { sub: subject.sub, client_id, actor: `client:${client_id}`, detail };
  return personEvent(needs, 'token.exchange', about, origin);
}
