import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { MetadataLimits } from '../../spec/client-metadata-checks.ts';
import { quotedValue } from '../../spec/errors.ts';
import { responseTypeName, responseTypesOf } from '../../spec/grant-types.ts';
import { type Mistake, shownUri } from '../../spec/metadata-mistake.ts';
import { isLoopbackHost, parseUri } from '../../spec/uri.ts';

/** Receives each mistake that a rule finds. */
export type Report = (mistake: Mistake) => void;

/**
 * Rules that settings switch on, as the profiles `fapi-2.0` and `fapi-2.0-message-signing` do. Registration refuses metadata that
 * break one. A client that registered before may break one: the report on a profile names it.
 */
export interface AcceptedValuesRule {
  /** The members whose own mistakes would make the rule report a second one, for the same reason. */
  readonly reads: readonly string[];
  readonly check: (metadata: ClientMetadata, report: Report, limits: MetadataLimits) => void;
}

type Check = AcceptedValuesRule['check'];

const oneOf = (allowed: readonly string[]): string => `must be one of ${allowed.join(', ')}`;

const METHOD = 'token_endpoint_auth_method';

const methodIsAccepted: Check = (metadata, report, { authMethods: allowed }) => {
  const { token_endpoint_auth_method: value } = metadata;
  if (!allowed.includes(value))
    report({ member: METHOD, value: quotedValue(value), rule: oneOf(allowed), allowed });
};

/** Members with the algorithms that the client signs with. */
const ASSERTION_ALGORITHM = 'token_endpoint_auth_signing_alg';
const SIGNED_REQUESTS = ['request_object_signing_alg', 'backchannel_authentication_request_signing_alg'];
const SIGNED_BY_CLIENT = [ASSERTION_ALGORITHM, ...SIGNED_REQUESTS];

/** Members with the algorithms that the server signs with for the client. */
const SIGNED_BY_SERVER = ['id_token', 'userinfo', 'authorization', 'introspection'].map(
  (what) => `${what}_signed_response_alg`,
);

const SIGNED = [...SIGNED_BY_CLIENT, ...SIGNED_BY_SERVER];

const algorithmsAreAccepted: Check = (metadata, report, { clientAlgorithms, signingAlgorithms }) => {
  for (const member of SIGNED) {
    const value = metadata[member];
    if (value === undefined) continue;
    // The MACs of client_secret_jwt stand and fall with that method.
    if (member === ASSERTION_ALGORITHM && metadata.token_endpoint_auth_method !== 'private_key_jwt') continue;
    const allowed = SIGNED_BY_SERVER.includes(member) ? signingAlgorithms : clientAlgorithms;
    if (typeof value === 'string' && !allowed.includes(value))
      report({ member, value: quotedValue(value), rule: oneOf(allowed), allowed });
  }
};

const BINDINGS = ['dpop_bound_access_tokens', 'tls_client_certificate_bound_access_tokens'] as const;

const tokensAreBound: Check = (metadata, report, { boundTokens }) => {
  if (!boundTokens || BINDINGS.some((member) => metadata[member] === true)) return;
  const rule = `must be true, or ${BINDINGS[1]}: every access token is bound to a key of its client`;
  const { dpop_bound_access_tokens: value } = metadata;
  report({ member: BINDINGS[0], ...(value === false ? { value: 'false' } : {}), rule });
};

const KEYS = ['jwks', 'jwks_uri', 'signed_jwks_uri'];

const requestsCanBeSigned: Check = (metadata, report, { signedRequests }) => {
  if (!signedRequests || !metadata.response_types.some(Boolean)) return;
  if (KEYS.every((member) => metadata[member] === undefined))
    report({ member: 'jwks', rule: 'or jwks_uri is missing: every client signs its requests' });
};

const redirectsAreEncrypted: Check = ({ redirect_uris = [], application_type }, report, { httpForWeb }) => {
  if (httpForWeb) return;
  const rule = 'must use https; http is allowed for loopback hosts of native clients only';
  for (const [index, uri] of redirect_uris.entries()) {
    const parsed = parseUri(uri);
    if (parsed?.scheme !== 'http' || parsed.http === undefined) continue;
    if (application_type === 'native' && isLoopbackHost(parsed.http.host)) continue;
    report({ member: 'redirect_uris', index, value: shownUri(uri), rule, error: 'invalid_redirect_uri' });
  }
};

const responsesAreOffered: Check = (metadata, report, { grantTypes, responseModes }) => {
  const types = responseTypesOf(grantTypes);
  const lists: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['grant_types', metadata.grant_types, grantTypes],
    ['response_types', metadata.response_types.map((type) => responseTypeName(type) ?? type), types],
    ['response_modes', (metadata['response_modes'] ?? []) as readonly string[], responseModes],
  ];
  for (const [member, values, allowed] of lists)
    for (const [index, value] of values.entries())
      if (!allowed.includes(value))
        report({ member, index, value: quotedValue(value), rule: oneOf(allowed), allowed });
};

/** The rules that registration checks beside those of `metadata-rules.ts`, which has one for redirection URIs too. */
export const ACCEPTED_VALUES_RULES: readonly AcceptedValuesRule[] = [
  { reads: [METHOD], check: methodIsAccepted },
  { reads: [METHOD, ...SIGNED], check: algorithmsAreAccepted },
  { reads: BINDINGS, check: tokensAreBound },
  { reads: KEYS, check: requestsCanBeSigned },
];

const ALL = [...ACCEPTED_VALUES_RULES.map(({ check }) => check), redirectsAreEncrypted, responsesAreOffered];

/** Returns every value of a stored client that the server would not register with these limits, or would not serve. */
export function unacceptedValues(metadata: ClientMetadata, limits: MetadataLimits): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  for (const check of ALL) check(metadata, (mistake) => mistakes.push(mistake), limits);
  return mistakes;
}

/**
 * Returns the member with an algorithm that the settings exclude, of a client that registered before. The server could not answer
 * the client as it registered.
 */
export function excludedAlgorithm(
  metadata: ClientMetadata,
  algorithms: readonly string[],
): string | undefined {
  for (const member of [...SIGNED_BY_SERVER, ...SIGNED_REQUESTS]) {
    const value = metadata[member];
    if (typeof value === 'string' && !algorithms.includes(value))
      return `${member} ${value} of the registration is not accepted; ${oneOf(algorithms)}`;
  }
  return undefined;
}
