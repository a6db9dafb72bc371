import type { KeyObject } from 'node:crypto';
import type { AuthenticatedClient } from '../../clients/client-authentication/authenticate-client.ts';
import { subjectFor } from '../../clients/issued-jwt/pairwise-subject.ts';
import { clientKeysOf } from '../../clients/metadata-document/document-state.ts';
import { logEvent, personEvent, type RequestOrigin } from '../../clients/person-event.ts';
import type { Settings } from '../../config/settings.ts';
import { digestOf } from '../../keys/digest.ts';
import type {
  BackchannelRequestStore,
  StoredBackchannelRequest,
} from '../../ports/backchannel-request-store.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { Counting } from '../../ports/metrics.ts';
import type { Random } from '../../ports/random.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { OAuthError, quotedValue, TooManyRequests } from '../../spec/errors.ts';
import { CIBA_GRANT } from '../../spec/grant-types.ts';
import { IDENTIFIER_LENGTHS } from '../../spec/identifiers.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { DELIVERY_MODES, type DeliveryMode } from '../../spec/server-capabilities.ts';
import { withoutAdminScope } from '../admin-scope.ts';
import { requestedAudience } from '../audience.ts';
import { PARAMETER_LENGTHS_MAX } from '../authorization/authorization-parameters.ts';
import { NO_CLAIMS } from '../authorization/claims-request.ts';
import type { DetailTypes } from '../authorization-details/detail-types.ts';
import { readAuthorizationDetails } from '../authorization-details/read-details.ts';
import { grantableScope } from '../end-user-scope.ts';
import { mayRefresh } from '../refreshable.ts';
import {
  AUTH_REQ_ID_PREFIX,
  type Backchannel,
  type BackchannelAuthorization,
  type BackchannelContent,
  REQUESTS_PATH,
  sealSecrets,
} from './backchannel-request.ts';
import { type HintedPerson, type HintNeeds, hintedPerson } from './hinted-person.ts';
import { effectiveParameters, type SignedRequestNeeds } from './signed-request.ts';

export interface BeginBackchannelNeeds extends HintNeeds, SignedRequestNeeds {
  readonly settings: Settings;
  readonly detailTypes: DetailTypes;
  readonly storage: { readonly backchannelRequests: BackchannelRequestStore };
  readonly sealer: Sealer;
  readonly pairwiseSecret: KeyObject;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
}

/** OpenID Connect CIBA Core 1.0 §7.3. */
export interface BegunBackchannel {
  readonly auth_req_id: string;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds; absent for `push`. */
  readonly interval?: number;
}

/** Seconds for which a request is kept after its end: its client still learns how it ended, and a second use is noticed. */
const KEPT_AFTER = 3600;

/**
 * Asks a person without a browser (OpenID Connect CIBA Core 1.0 §7). The answer is the same whether there is such a person or not, and
 * whether the person has blocked the client.
 * @throws OAuthError with the codes of §13; TooManyRequests
 */
export async function beginBackchannelRequest(
  needs: BeginBackchannelNeeds,
  client: AuthenticatedClient,
  sent: Parameters,
  origin: RequestOrigin,
): Promise<BegunBackchannel> {
  const { settings, storage, clock, random, sealer, metrics } = needs;
  const mode = modeOf(settings, client);
  const parameters = await effectiveParameters(needs, client, sent, origin.remoteAddress);
  const wanted = wishesOf(needs, client, parameters, mode);
  const person = await hintedPerson(needs, client, parameters);
  const lifetime = lifetimeOf(settings, parameters['requested_expiry']);
  const auth_req_id = AUTH_REQ_ID_PREFIX + random.alphanumeric(IDENTIFIER_LENGTHS.access_token);
  const { binding_message, client_notification_token } = parameters;
  const backchannel: Backchannel = {
    id: random.alphanumeric(IDENTIFIER_LENGTHS.session),
    address: origin.remoteAddress,
    ...(binding_message === undefined ? {} : { binding_message }),
  };
  const secrets =
    client_notification_token === undefined
      ? {}
      : { sealed: sealSecrets(sealer, backchannel, { auth_req_id, client_notification_token }) };
  const content: BackchannelContent = {
    issuer: needs.issuer,
    request: requestFor(needs, client, wanted, { backchannel, person }),
    mode,
    ...secrets,
  };
  const interval = settings['ciba.interval'];
  const created_at = clock.now();
  const expires_at = created_at + lifetime;
  const stored: StoredBackchannelRequest = {
    key: digestOf(auth_req_id),
    id: backchannel.id,
    person: person.key,
    sub: person.account?.sub ?? null,
    client_id: client.stored.client_id,
    client_instance: client.stored.instance,
    state: 'open',
    code: null,
    poll_interval: interval,
    content: JSON.stringify(content),
    created_at,
    expires_at,
    kept_until: expires_at + KEPT_AFTER,
    attempts: 0,
    // Without a decision the client is notified of the end.
    due_at: mode === 'poll' ? null : expires_at,
    problem: null,
  };
  const about = { sub: person.account?.sub, client_id: stored.client_id, actor: 'client', detail: mode };
  const event = personEvent(needs, 'backchannel.request', about, origin);
  const limits = {
    perPerson: settings['ciba.open-per-person'],
    perClient: settings['ciba.open-per-client'],
  };
  const outcome = await storage.backchannelRequests.begin(stored, limits, event);
  metrics.count('chancery_backchannel_requests_total', {
    outcome: outcome === 'begun' ? 'begun' : 'limited',
  });
  if (outcome !== 'begun')
    throw new TooManyRequests(
      interval,
      outcome === 'too_many_of_person' ? 'ciba.open-per-person' : 'ciba.open-per-client',
    );
  logEvent(needs, event);
  return { auth_req_id, expires_in: lifetime, ...(mode === 'push' ? {} : { interval }) };
}

function modeOf(settings: Settings, { metadata }: AuthenticatedClient): DeliveryMode {
  if (!metadata.grant_types.includes(CIBA_GRANT))
    throw new OAuthError('unauthorized_client', {
      error_description: `the client is not registered for grant_type ${quotedValue(CIBA_GRANT)}`,
      reason: 'grant-type-not-registered',
      values: { grant_type: CIBA_GRANT },
    });
  const registered = metadata['backchannel_token_delivery_mode'];
  const mode = DELIVERY_MODES.find((known) => known === registered);
  if (mode !== undefined && settings['ciba.delivery-modes'].includes(mode)) return mode;
  throw new OAuthError('unauthorized_client', {
    error_description: `the client is registered for no backchannel_token_delivery_mode that is offered: ${settings['ciba.delivery-modes'].join(', ')}`,
  });
}

type Wishes = Pick<BackchannelAuthorization, 'scope' | 'acr_values' | 'resource' | 'authorization_details'>;

/** §7.1: "relatively short"; what a page shows in one line. */
const BINDING_MESSAGE_MAX = 100;
/** Letters, marks, digits, punctuation, symbols and the space: no controls, and nothing that changes the direction of text. */
const BINDING_MESSAGE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]+$/u;
/** RFC 6750 §2.1, `b64token`; §7.1: "The length of the token MUST NOT exceed 1024 characters". */
const NOTIFICATION_TOKEN = /^[A-Za-z0-9._~+/-]{1,1024}=*$/u;

/** Checks the parameters but the hint, and returns what the client asks for. */
function wishesOf(
  { settings, detailTypes }: BeginBackchannelNeeds,
  { stored, metadata }: AuthenticatedClient,
  parameters: Parameters,
  mode: DeliveryMode,
): Wishes {
  for (const [name, most] of Object.entries(PARAMETER_LENGTHS_MAX))
    if ((parameters[name]?.length ?? 0) > most)
      throw invalidRequest(`${name} must have at most ${most} characters`);
  const {
    scope: asked,
    resource,
    acr_values,
    binding_message,
    client_notification_token: token,
  } = parameters;
  if (mode !== 'poll' && (token === undefined || token.length > 1024 || !NOTIFICATION_TOKEN.test(token)))
    throw invalidRequest(
      `client_notification_token must be a bearer token of 1 to 1024 characters for ${mode}`,
    );
  if (
    binding_message !== undefined &&
    (binding_message.length > BINDING_MESSAGE_MAX || !BINDING_MESSAGE.test(binding_message))
  )
    throw new OAuthError('invalid_binding_message', {
      error_description: `binding_message must have 1 to ${BINDING_MESSAGE_MAX} letters, digits, punctuation marks, symbols and spaces`,
    });
  const authorization_details = readAuthorizationDetails(
    detailTypes,
    metadata,
    parameters['authorization_details'],
  );
  const scope = withoutAdminScope(
    grantableScope(settings, stored, asked, mayRefresh(settings, metadata)) ?? [],
  );
  // §7.1: "Authentication requests MUST contain the openid scope value".
  if (asked === undefined || !scope.includes('openid'))
    throw new OAuthError('invalid_scope', {
      error_description: 'scope must contain openid, and the client must be registered for it',
      reason: asked === undefined ? 'no-scope' : 'scope-not-registered',
      values: { scope: asked },
    });
  requestedAudience(settings, metadata, resource, scope);
  return {
    scope,
    acr_values: acr_values?.split(' ') ?? (metadata['default_acr_values'] as string[] | undefined) ?? [],
    resource: resource === undefined ? [] : resource.split(' '),
    ...(authorization_details === undefined ? {} : { authorization_details }),
  };
}

function requestFor(
  { issuer, pairwiseSecret }: BeginBackchannelNeeds,
  { stored, metadata }: AuthenticatedClient,
  wishes: Wishes,
  { backchannel, person }: { readonly backchannel: Backchannel; readonly person: HintedPerson },
): BackchannelAuthorization {
  const client_keys = clientKeysOf(stored);
  const { account } = person;
  return {
    client_id: stored.client_id,
    client_instance: stored.instance,
    ...(client_keys === undefined ? {} : { client_keys }),
    backchannel,
    // No response goes there: the client asks for its tokens, or is notified.
    redirect_uri: issuer + REQUESTS_PATH,
    response_mode: 'query',
    response_type: ['code'],
    // The person has begun nothing, and must see the client and its wishes each time.
    prompt: ['consent'],
    claims: NO_CLAIMS,
    ...wishes,
    // If another person signs in, the request is not theirs to answer.
    ...(account === undefined
      ? {}
      : { login_hint: account.username, hinted_sub: subjectFor(metadata, account.sub, pairwiseSecret) }),
  };
}

/**
 * Seconds. A shorter request would be gone before its person has looked, and would make room for the next: a client could ask a person
 * every second. `ciba.request-lifetime` has the same least value.
 */
const LIFETIME_MIN = 30;

/** §7.1: "a positive integer". A time beyond what is allowed is moved there, as `expires_in` says. */
function lifetimeOf(settings: Settings, requested: string | undefined): number {
  if (requested === undefined) return settings['ciba.request-lifetime'];
  if (!/^[1-9]\d{0,8}$/u.test(requested)) throw invalidRequest('requested_expiry must be a positive integer');
  return Math.min(Math.max(Number(requested), LIFETIME_MIN), settings['ciba.request-lifetime-max']);
}

const invalidRequest = (error_description: string): OAuthError =>
  new OAuthError('invalid_request', { error_description });
