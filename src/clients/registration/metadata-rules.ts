import { clientJwkProblem, duplicateKeyId, encryptionKey } from '../../keys/client-jwk.ts';
import { type ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { GRANT_TYPES, RESPONSE_TYPES, responseTypeName } from '../../spec/grant-types.ts';
import { type JsonWebKey } from '../../spec/jwk.ts';
import { redirectUriProblem } from '../../spec/redirect-uri.ts';
import { HMAC_ALGORITHMS, KEY_MANAGEMENT_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { parseUri } from '../../spec/uri.ts';

/** A rule between members of one registration; throws where it is broken. */
export type MetadataRule = (metadata: ClientMetadata) => void;

const invalid = (error_description: string): OAuthError =>
  new OAuthError('invalid_client_metadata', { error_description });

const invalidRedirect = (error_description: string): OAuthError =>
  new OAuthError('invalid_redirect_uri', { error_description });

/** RFC 7591 §2.1: "a server … SHOULD check that the values are consistent". */
const responseTypesHaveTheirGrants: MetadataRule = ({ response_types, grant_types }) => {
  for (const response_type of response_types) {
    const needed = RESPONSE_TYPES[responseTypeName(response_type) ?? ''] ?? [];
    const missing = needed.find((grant) => !grant_types.includes(grant));
    if (missing !== undefined)
      throw invalid(`response_types holds ${response_type}, which needs the grant type ${missing}`);
  }
};

const grantsHaveTheirResponseTypes: MetadataRule = ({ response_types, grant_types }) => {
  for (const grant of grant_types) {
    if (!GRANT_TYPES[grant].redirects) continue;
    const served = response_types.some((type) =>
      RESPONSE_TYPES[responseTypeName(type) ?? '']?.includes(grant),
    );
    if (!served) throw invalid(`grant_types holds ${grant}, which needs a response type`);
  }
};

/** RFC 7591 §5: "clients using flows with redirection MUST register their redirection URI values". */
const redirectGrantsHaveRedirectUris: MetadataRule = ({ grant_types, redirect_uris }) => {
  const redirects = grant_types.some((grant) => GRANT_TYPES[grant].redirects);
  if (redirects && (redirect_uris === undefined || redirect_uris.length === 0)) {
    throw invalidRedirect('redirect_uris is needed for these grant types');
  }
};

const redirectUrisAreSafe: MetadataRule = (metadata) => {
  const rules = {
    application_type: metadata.application_type,
    implicit: metadata.grant_types.includes('implicit'),
  };
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const uri of metadata[member] ?? []) {
      const problem = redirectUriProblem(uri, rules);
      if (problem !== undefined) throw invalidRedirect(`a value of ${member} ${problem}`);
    }
  }
};

/** RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients." */
const clientCredentialsAreConfidential: MetadataRule = ({ grant_types, token_endpoint_auth_method }) => {
  if (token_endpoint_auth_method === 'none' && grant_types.includes('client_credentials')) {
    throw invalid('client_credentials needs a client that authenticates');
  }
};

/** OpenID Connect Dynamic Client Registration 1.0 §2: "The jwks_uri and jwks parameters MUST NOT be used together." */
const keysComeFromOnePlace: MetadataRule = ({ jwks, jwks_uri }) => {
  if (jwks !== undefined && jwks_uri !== undefined) throw invalid('jwks and jwks_uri exclude each other');
};

const keysAreSound: MetadataRule = ({ jwks }) => {
  if (jwks === undefined) return;
  const { keys } = jwks as { readonly keys: readonly unknown[] };
  for (const key of keys) {
    const problem = clientJwkProblem(key);
    if (problem !== undefined) throw invalid(`a key of jwks ${problem}`);
  }
  if (duplicateKeyId(keys)) throw invalid('two keys of jwks have the same kid and use');
};

/** Responses and requests that can be encrypted, by the beginning of their members' names. */
const ENCRYPTED = [
  'id_token_encrypted_response',
  'userinfo_encrypted_response',
  'authorization_encrypted_response',
  'introspection_encrypted_response',
  'request_object_encryption',
] as const;

/** OpenID Connect Dynamic Client Registration 1.0 §2: "When id_token_encrypted_response_enc is included, … _alg MUST also be provided." */
const encryptionNamesItsKeyManagement: MetadataRule = (metadata) => {
  for (const what of ENCRYPTED) {
    if (metadata[`${what}_enc`] !== undefined && metadata[`${what}_alg`] === undefined) {
      throw invalid(`${what}_enc needs ${what}_alg`);
    }
  }
};

/** What is encrypted to a client is encrypted with a key of the client. */
const encryptedResponsesHaveKeys: MetadataRule = (metadata) => {
  const encrypts = ENCRYPTED.some(
    (what) => what.endsWith('_response') && metadata[`${what}_alg`] !== undefined,
  );
  if (encrypts && metadata['jwks'] === undefined && metadata['jwks_uri'] === undefined) {
    throw invalid('an encrypted response needs jwks or jwks_uri');
  }
};

const encryptedResponsesHaveKeysOfTheirKind: MetadataRule = (metadata) => {
  if (metadata['jwks'] === undefined) return;
  const { keys } = metadata['jwks'] as { readonly keys: readonly JsonWebKey[] };
  for (const what of ENCRYPTED) {
    const algorithm = KEY_MANAGEMENT_ALGORITHMS.find((known) => known === metadata[`${what}_alg`]);
    if (algorithm === undefined || !what.endsWith('_response')) continue;
    if (encryptionKey(keys, algorithm) === undefined) {
      throw invalid(`${what}_alg needs a key of jwks that is for ${algorithm}`);
    }
  }
};

const isHmac = (algorithm: unknown): boolean => HMAC_ALGORITHMS.some((known) => known === algorithm);

/** OpenID Connect Core 1.0 §9: client_secret_jwt is keyed with the secret, private_key_jwt with a key pair. */
const assertionAlgorithmFitsItsMethod: MetadataRule = (metadata) => {
  const algorithm = metadata['token_endpoint_auth_signing_alg'];
  const method: string = metadata.token_endpoint_auth_method;
  if (algorithm === undefined) return;
  const contradicts =
    (method === 'client_secret_jwt' && !isHmac(algorithm)) ||
    (method === 'private_key_jwt' && isHmac(algorithm));
  if (contradicts) throw invalid(`token_endpoint_auth_signing_alg does not fit ${method}`);
};

/** OpenID Connect Core 1.0 §9; RFC 8705 §2.2.2: methods that prove that the client has a key need its public half. */
const clientsThatProveKeysHaveKeys: MetadataRule = ({
  token_endpoint_auth_method: method,
  jwks,
  jwks_uri,
}) => {
  const provesKey = method === 'private_key_jwt' || method === 'self_signed_tls_client_auth';
  if (provesKey && jwks === undefined && jwks_uri === undefined) {
    throw invalid(`${method} needs jwks or jwks_uri`);
  }
};

const CERTIFICATE_SUBJECTS = ['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'].map(
  (subject) => `tls_client_auth_${subject}`,
);

/** RFC 8705 §2.1.2: "A client using the tls_client_auth authentication method MUST use exactly one" of these. */
const certificateSubjectsBelongToTheirMethod: MetadataRule = (metadata) => {
  const given = CERTIFICATE_SUBJECTS.filter((member) => metadata[member] !== undefined);
  const method: string = metadata.token_endpoint_auth_method;
  if (method === 'tls_client_auth' ? given.length !== 1 : given.length > 0) {
    throw invalid(
      'exactly one tls_client_auth_ subject belongs to the method tls_client_auth, and to no other',
    );
  }
};

/** OpenID Connect Core 1.0 §8.1: several hosts and pairwise subjects need a sector identifier that they share. */
const pairwiseClientsHaveOneSector: MetadataRule = ({
  subject_type,
  sector_identifier_uri,
  redirect_uris = [],
}) => {
  if (subject_type !== 'pairwise' || sector_identifier_uri !== undefined) return;
  const hosts = new Set(redirect_uris.map((uri) => parseUri(uri)?.http?.host));
  if (hosts.size !== 1 || hosts.has(undefined)) {
    throw invalid('subject_type pairwise needs redirect_uris of one host, or a sector_identifier_uri');
  }
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
];
