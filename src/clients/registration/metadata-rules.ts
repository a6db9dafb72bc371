import { clientJwkProblem, duplicateKeyId, encryptionKey } from '../../keys/client-jwk.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError, quotedValue } from '../../spec/errors.ts';
import { GRANT_TYPES, RESPONSE_TYPES, responseTypeName } from '../../spec/grant-types.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { redirectUriProblem } from '../../spec/redirect-uri.ts';
import {
  HMAC_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../../spec/server-capabilities.ts';
import { parseUri } from '../../spec/uri.ts';

/** Checks a rule between members of one registration; throws an OAuthError if it is broken. */
export type MetadataRule = (metadata: ClientMetadata) => void;

const invalid = (error_description: string): OAuthError =>
  new OAuthError('invalid_client_metadata', { error_description });

const invalidRedirect = (error_description: string): OAuthError =>
  new OAuthError('invalid_redirect_uri', { error_description });

/** RFC 7591 §2.1: "a server … SHOULD check that the values are consistent". */
const responseTypesHaveTheirGrants: MetadataRule = ({ response_types, grant_types }) => {
  for (const [index, response_type] of response_types.entries()) {
    const needed = RESPONSE_TYPES[responseTypeName(response_type) ?? ''] ?? [];
    const missing = needed.find((grant) => !grant_types.includes(grant));
    if (missing !== undefined)
      throw invalid(`response_types[${index}] ${response_type} requires grant_types to include ${missing}`);
  }
};

const grantsHaveTheirResponseTypes: MetadataRule = ({ response_types, grant_types }) => {
  for (const [index, grant] of grant_types.entries()) {
    if (!GRANT_TYPES[grant].redirects) continue;
    const fits = (type: string): boolean => RESPONSE_TYPES[type]?.includes(grant) === true;
    if (response_types.some((type) => fits(responseTypeName(type) ?? ''))) continue;
    const allowed = Object.keys(RESPONSE_TYPES).filter(fits).join(', ');
    throw invalid(`grant_types[${index}] ${grant} requires response_types to include one of: ${allowed}`);
  }
};

/** RFC 7591 §5: "clients using flows with redirection MUST register their redirection URI values". */
const redirectGrantsHaveRedirectUris: MetadataRule = ({ grant_types, redirect_uris }) => {
  const redirecting = grant_types.find((grant) => GRANT_TYPES[grant].redirects);
  if (redirecting !== undefined && (redirect_uris === undefined || redirect_uris.length === 0)) {
    throw invalidRedirect(`redirect_uris must have at least one value for the grant type ${redirecting}`);
  }
};

const redirectUrisAreSafe: MetadataRule = (metadata) => {
  const rules = {
    application_type: metadata.application_type,
    implicit: metadata.grant_types.includes('implicit'),
  };
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const [index, uri] of (metadata[member] ?? []).entries()) {
      const problem = redirectUriProblem(uri, rules);
      if (problem !== undefined) throw invalidRedirect(`${member}[${index}] ${shownUri(uri)} ${problem}`);
    }
  }
};

/** Renders a URI for an error text without its userinfo, which may hold a password. */
export const shownUri = (uri: string): string => quotedValue(uri.replace(/\/\/[^/?#]*@/u, '//...@'));

/** RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients." */
const clientCredentialsAreConfidential: MetadataRule = ({ grant_types, token_endpoint_auth_method }) => {
  if (token_endpoint_auth_method === 'none' && grant_types.includes('client_credentials')) {
    throw invalid('grant_types includes client_credentials, so token_endpoint_auth_method must not be none');
  }
};

/**
 * OpenID Connect Dynamic Client Registration 1.0 §2: "The jwks_uri and jwks parameters MUST NOT be used
 * together."
 */
const keysComeFromOnePlace: MetadataRule = ({ jwks, jwks_uri }) => {
  if (jwks !== undefined && jwks_uri !== undefined)
    throw invalid('jwks and jwks_uri must not be used together');
};

const keysAreSound: MetadataRule = ({ jwks }) => {
  if (jwks === undefined) return;
  const { keys } = jwks as { readonly keys: readonly unknown[] };
  for (const [index, key] of keys.entries()) {
    const problem = clientJwkProblem(key);
    if (problem !== undefined) throw invalid(`jwks.keys[${index}] ${problem}`);
  }
  if (duplicateKeyId(keys)) throw invalid('jwks.keys has two keys with the same kid and use');
};

/** Prefixes of the members that configure encrypted responses and requests. */
const ENCRYPTED = [
  'id_token_encrypted_response',
  'userinfo_encrypted_response',
  'authorization_encrypted_response',
  'introspection_encrypted_response',
  'request_object_encryption',
] as const;

/**
 * OpenID Connect Dynamic Client Registration 1.0 §2: "When id_token_encrypted_response_enc is included, …
 * _alg MUST also be provided."
 */
const encryptionNamesItsKeyManagement: MetadataRule = (metadata) => {
  for (const what of ENCRYPTED) {
    if (metadata[`${what}_enc`] !== undefined && metadata[`${what}_alg`] === undefined) {
      throw invalid(`${what}_enc requires ${what}_alg`);
    }
  }
};

/** An encrypted response needs a public key of the client. */
const encryptedResponsesHaveKeys: MetadataRule = (metadata) => {
  if (metadata['jwks'] !== undefined || metadata['jwks_uri'] !== undefined) return;
  const encrypted = ENCRYPTED.find(
    (what) => what.endsWith('_response') && metadata[`${what}_alg`] !== undefined,
  );
  if (encrypted !== undefined) throw invalid(`${encrypted}_alg requires jwks or jwks_uri`);
};

const encryptedResponsesHaveKeysOfTheirKind: MetadataRule = (metadata) => {
  if (metadata['jwks'] === undefined) return;
  const { keys } = metadata['jwks'] as { readonly keys: readonly JsonWebKey[] };
  for (const what of ENCRYPTED) {
    const algorithm = KEY_MANAGEMENT_ALGORITHMS.find((known) => known === metadata[`${what}_alg`]);
    if (algorithm === undefined || !what.endsWith('_response')) continue;
    if (encryptionKey(keys, algorithm) === undefined) {
      throw invalid(`${what}_alg ${algorithm} requires a key in jwks for ${algorithm}`);
    }
  }
};

/** OpenID Connect Core 1.0 §9: client_secret_jwt is keyed with the secret, private_key_jwt with a key pair. */
const assertionAlgorithmFitsItsMethod: MetadataRule = (metadata) => {
  const algorithm = metadata['token_endpoint_auth_signing_alg'];
  const method: string = metadata.token_endpoint_auth_method;
  if (typeof algorithm !== 'string') return;
  const expected =
    method === 'client_secret_jwt'
      ? HMAC_ALGORITHMS
      : method === 'private_key_jwt'
        ? SIGNING_ALGORITHMS
        : undefined;
  if (expected === undefined || expected.some((known) => known === algorithm)) return;
  throw invalid(
    `token_endpoint_auth_signing_alg ${algorithm} does not fit ${method}; allowed: ${expected.join(', ')}`,
  );
};

/** OpenID Connect Core 1.0 §9, RFC 8705 §2.2.2: methods that prove a private key need the public key. */
const clientsThatProveKeysHaveKeys: MetadataRule = ({
  token_endpoint_auth_method: method,
  jwks,
  jwks_uri,
}) => {
  const provesKey = method === 'private_key_jwt' || method === 'self_signed_tls_client_auth';
  if (provesKey && jwks === undefined && jwks_uri === undefined) {
    throw invalid(`token_endpoint_auth_method ${method} requires jwks or jwks_uri`);
  }
};

const CERTIFICATE_SUBJECTS = ['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'].map(
  (subject) => `tls_client_auth_${subject}`,
);

/** RFC 8705 §2.1.2: "A client using the tls_client_auth authentication method MUST use exactly one" of these. */
const certificateSubjectsBelongToTheirMethod: MetadataRule = (metadata) => {
  const given = CERTIFICATE_SUBJECTS.filter((member) => metadata[member] !== undefined);
  const method: string = metadata.token_endpoint_auth_method;
  if (method === 'tls_client_auth') {
    if (given.length === 1) return;
    const allowed = CERTIFICATE_SUBJECTS.join(', ');
    throw invalid(`token_endpoint_auth_method tls_client_auth requires exactly one of: ${allowed}`);
  }
  const [extra] = given;
  if (extra !== undefined) {
    throw invalid(`${extra} requires token_endpoint_auth_method tls_client_auth, not ${method}`);
  }
};

/** OpenID Connect Core 1.0 §8.1: clients with pairwise subjects and several hosts need a sector identifier. */
const pairwiseClientsHaveOneSector: MetadataRule = ({
  subject_type,
  sector_identifier_uri,
  redirect_uris = [],
}) => {
  if (subject_type !== 'pairwise' || sector_identifier_uri !== undefined) return;
  const hosts = new Set(redirect_uris.map((uri) => parseUri(uri)?.http?.host));
  if (hosts.size !== 1 || hosts.has(undefined)) {
    throw invalid('subject_type pairwise requires redirect_uris with one host, or sector_identifier_uri');
  }
};

/**
 * OpenID Connect Front-Channel Logout 1.0 §2: "The domain, port, and scheme of this URL MUST be the same as that
 * of a registered Redirection URI value". So no registration makes browsers load pages of a host that it does not name as its own.
 */
const frontChannelUriHasOriginOfRedirectUri: MetadataRule = ({
  frontchannel_logout_uri: uri,
  redirect_uris = [],
}) => {
  if (typeof uri !== 'string' || parseUri(uri)?.http === undefined) return;
  // A frame cannot load a private-use scheme.
  const loadable = redirect_uris.filter((redirect) => parseUri(redirect)?.http !== undefined);
  const allowed = new Set(loadable.map((redirect) => new URL(redirect).origin));
  if (allowed.has(new URL(uri).origin)) return;
  const choice = allowed.size === 0 ? 'there is none' : `allowed: ${[...allowed].join(', ')}`;
  throw invalid(
    `frontchannel_logout_uri ${shownUri(uri)} must have the scheme, host and port of one of redirect_uris; ${choice}`,
  );
};

export const METADATA_RULES: readonly MetadataRule[] = [
  responseTypesHaveTheirGrants,
  grantsHaveTheirResponseTypes,
  redirectGrantsHaveRedirectUris,
  redirectUrisAreSafe,
  clientCredentialsAreConfidential,
  keysComeFromOnePlace,
  keysAreSound,
  encryptionNamesItsKeyManagement,
  encryptedResponsesHaveKeys,
  encryptedResponsesHaveKeysOfTheirKind,
  assertionAlgorithmFitsItsMethod,
  clientsThatProveKeysHaveKeys,
  certificateSubjectsBelongToTheirMethod,
  pairwiseClientsHaveOneSector,
  frontChannelUriHasOriginOfRedirectUri,
];
