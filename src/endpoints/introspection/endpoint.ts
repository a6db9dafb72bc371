import { namesClient } from '../../clients/named-audience.ts';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { Counting } from '../../ports/metrics.ts';
import { preferredMediaType } from '../../spec/accept.ts';
import { type Awaitable, whenKnown } from '../../spec/awaitable.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { FormLimits, Parameters } from '../../spec/parameters.ts';
import { findAccessToken, isIdentifierShaped } from '../../tokens/access-token.ts';
import { UNCACHED } from '../answer.ts';
import type { Endpoint, EndpointRequest, EndpointResponse } from '../contract.ts';
import {
  type Caller,
  type CallerNeeds,
  callerOf,
  formOrError,
  introspectionScopeOf,
  registrationOf,
  scopeLacking,
} from '../introspection-caller.ts';
import { contract } from './contract.ts';
import {
  INTROSPECTION_JWT,
  type JwtAnswerNeeds,
  type JwtMediaType,
  jwtAnswer,
  LEGACY_JWT,
} from './jwt-answer.ts';

export interface IntrospectionNeeds extends CallerNeeds, JwtAnswerNeeds {
  readonly metrics: Pick<Counting, 'counter'>;
  readonly form: FormLimits;
}

/** RFC 7662 §2.2: "the server … SHOULD NOT include any additional information about an inactive token". */
const INACTIVE = '{"active":false}';

const HEADERS = { ...UNCACHED, vary: 'Accept' };
const JSON_HEADERS = Object.freeze({ 'content-type': 'application/json;charset=UTF-8', ...HEADERS });

/**
 * Says whether a token is active. The order is fixed (decision 22): authenticate (401), then read the form (400), then check
 * the caller's scope (403), then look up the token (200).
 */
export function introspection(needs: IntrospectionNeeds): Endpoint {
  const introspectionScope = introspectionScopeOf(needs.issuer);
  const jwtTypes: readonly JwtMediaType[] = needs.settings['introspection.legacy-jwt']
    ? [INTROSPECTION_JWT, LEGACY_JWT]
    : [INTROSPECTION_JWT];
  const countActive = needs.metrics.counter('chancery_introspections_total', { result: 'active' });
  const countInactive = needs.metrics.counter('chancery_introspections_total', { result: 'inactive' });
  const answered = (text: string): void => (text === INACTIVE ? countInactive() : countActive());
  return {
    contract,
    handle(request) {
      const form = formOrError(request, contract.parameters.names, needs.form);
      const asking = callerOf(needs, request, form, contract.path);
      const ahead = asking instanceof Promise ? lookAhead(needs, form) : undefined;
      return whenKnown(asking, (caller) => {
        const token = tokenToInspect(form);
        if (!caller.scope.includes(introspectionScope))
          throw scopeLacking(request, introspectionScope, caller.client_id);
        const jwtType = jwtTypeFor(request, jwtTypes);
        const looking = ahead === undefined ? findAccessToken(needs.accessTokens, token) : ahead();
        return whenKnown(inspect(needs, caller, looking), (text) => {
          answered(text);
          return jwtType === undefined ? jsonResponse(text) : jwtResponse(needs, caller, text, jwtType);
        });
      });
    },
  };
}

type Looking = Awaitable<StoredAccessToken | undefined>;

/**
 * Looks up the token while the caller's look-up is still under way, so that a remote storage answers both in one round trip. If the
 * caller is refused, the result is dropped: an unauthenticated caller causes at most one look-up.
 * @returns a function that returns the token, without a promise if it is there
 */
function lookAhead(
  { accessTokens }: IntrospectionNeeds,
  form: Parameters | OAuthError,
): (() => Looking) | undefined {
  const token = form instanceof OAuthError ? undefined : form['token'];
  if (token === undefined || !isIdentifierShaped(token)) return undefined;
  let looking = findAccessToken(accessTokens, token);
  const keep = (found: StoredAccessToken | undefined): void => {
    looking = found;
  };
  if (looking instanceof Promise) looking.then(keep, () => undefined);
  return () => looking;
}

/** @returns the JSON text of RFC 7662 §2.2 */
function inspect(needs: IntrospectionNeeds, caller: Caller, looking: Looking): Awaitable<string> {
  return whenKnown(looking, (found) => {
    if (found === undefined) return INACTIVE;
    if (needs.settings['introspection.audience'] === 'any') return found.introspection;
    return whenKnown(registrationOf(needs, caller), (metadata) =>
      isMeantFor(found, caller.client_id, metadata) ? found.introspection : INACTIVE,
    );
  });
}

/**
 * Says whether a token is meant for the caller: its `aud` names the caller or a resource that the caller registered. A token
 * without `aud` is meant for every caller (decision 26; RFC 7662 §4: "the authorization server MUST determine whether the
 * token … can be used at the protected resource making the introspection call").
 * @param metadata of the caller
 */
function isMeantFor(
  token: StoredAccessToken,
  caller: ClientId,
  metadata: ClientMetadata | undefined,
): boolean {
  const { aud } = JSON.parse(token.introspection) as { readonly aud?: readonly string[] };
  return aud === undefined || namesClient(aud, caller, metadata);
}

/** Returns the JWT type that the caller prefers; undefined for JSON. Parses `Accept` only if it names a JWT, to keep the common path fast. */
function jwtTypeFor(
  { headers }: EndpointRequest,
  offered: readonly JwtMediaType[],
): JwtMediaType | undefined {
  const { accept } = headers;
  if (accept === undefined || !/jwt/i.test(accept)) return undefined;
  const preferred = preferredMediaType(accept, 'application/json', offered);
  return preferred === 'application/json' ? undefined : preferred;
}

const jsonResponse = (body: string): EndpointResponse => ({ status: 200, headers: JSON_HEADERS, body });

async function jwtResponse(
  needs: IntrospectionNeeds,
  caller: Caller,
  introspection: string,
  type: JwtMediaType,
): Promise<EndpointResponse> {
  const metadata = await registrationOf(needs, caller);
  const body = await jwtAnswer(needs, { client_id: caller.client_id, metadata, introspection }, type);
  return { status: 200, headers: { 'content-type': type, ...HEADERS }, body };
}

function tokenToInspect(form: Parameters | OAuthError): string {
  if (form instanceof OAuthError) throw form;
  const token = form['token'];
  if (token === undefined)
    throw new OAuthError('invalid_request', {
      error_description: 'token is missing',
      reason: 'missing-parameter',
    });
  return token;
}
