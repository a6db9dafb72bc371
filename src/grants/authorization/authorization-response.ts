import { requireKeysNow } from '../../clients/client-keys/remote-jwk-set.ts';
import { type ClientJwtNeeds, makeClientJwt } from '../../clients/issued-jwt/client-jwt.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { withQuery } from '../../spec/uri.ts';
import type { ResponseTarget } from './authorization-request.ts';

/** The transport of an authorisation response to its client: a redirection, or a page with a form. */
export type AuthorizationResponse =
  | { readonly kind: 'redirect'; readonly location: string }
  | {
      readonly kind: 'form-post';
      readonly action: string;
      readonly parameters: readonly (readonly [name: string, value: string])[];
    };

export interface ResponseNeeds {
  readonly issuer: string;
  readonly clientJwts: ClientJwtNeeds;
  /** Seconds since the Unix epoch. */
  readonly now: number;
}

export type ResponseParameters = Readonly<Record<string, string | number | undefined>>;

/** Seconds. JARM §2.1: "a maximum JWT lifetime of 10 minutes is RECOMMENDED". */
const RESPONSE_LIFETIME = 600;

/**
 * Puts response parameters, with `state` and `iss` (RFC 9207 §2), into the form that the request asked for: query,
 * fragment, form post, or a JWT in one of these (JARM §2).
 * @throws Error when the client asked for encryption that its keys do not allow
 */
export async function authorizationResponse(
  needs: ResponseNeeds,
  target: ResponseTarget,
  metadata: ClientMetadata,
  parameters: ResponseParameters,
): Promise<AuthorizationResponse> {
  const { response_mode, redirect_uri, state } = target;
  const [mode, jwt] = response_mode.split('.');
  const whole = { ...parameters, state, iss: needs.issuer };
  const sent: ResponseParameters =
    jwt === undefined ? whole : { response: await responseJwt(needs, target, metadata, whole) };
  const pairs = Object.entries(sent).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  if (mode === 'form_post') return { kind: 'form-post', action: redirect_uri, parameters: pairs };
  return { kind: 'redirect', location: withParameters(redirect_uri, mode === 'query' ? '?' : '#', pairs) };
}

async function responseJwt(
  { clientJwts, issuer, now }: ResponseNeeds,
  { client_id }: ResponseTarget,
  metadata: ClientMetadata,
  parameters: ResponseParameters,
): Promise<string> {
  const claims = { ...parameters, iss: issuer, aud: client_id, exp: now + RESPONSE_LIFETIME };
  const made = await makeClientJwt(clientJwts, metadata, { kind: 'authorization', typ: 'JWT', claims });
  if ('jwt' in made) return made.jwt;
  requireKeysNow(made, 'keys of the client');
  throw new Error(`authorisation response for ${client_id}: ${made.problem}`);
}

/** Appends parameters to the registered URI, whose text and query stay unchanged (RFC 6749 §3.1.2: "MUST be retained when adding"). */
function withParameters(
  redirect_uri: string,
  mark: '?' | '#',
  pairs: readonly (readonly [string, string])[],
): string {
  const encoded = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString();
  return mark === '?' ? withQuery(redirect_uri, encoded) : `${redirect_uri}#${encoded}`;
}
