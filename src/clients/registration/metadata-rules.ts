import { clientJwkProblem, duplicateKeyId, encryptionKey } from '../../keys/client-jwk.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { MetadataLimits } from '../../spec/client-metadata-checks.ts';
import {
  CIBA_GRANT,
  GRANT_TYPES,
  RESPONSE_TYPES,
  responseTypeName,
  TOKEN_EXCHANGE_GRANT,
} from '../../spec/grant-types.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { type Mistake, shownUri } from '../../spec/metadata-mistake.ts';
import { redirectUriProblem } from '../../spec/redirect-uri.ts';
import {
  HMAC_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../../spec/server-capabilities.ts';
import { parseUri } from '../../spec/uri.ts';
import { type SectorProof, sectorAddresses, sectorProofs } from '../sector-addresses.ts';
import { ACCEPTED_VALUES_RULES, type AcceptedValuesRule } from './accepted-values.ts';

const KEYS = ['jwks', 'jwks_uri', 'signed_jwks_uri'];

/** A rule between members of one registration. */
interface MetadataRule extends AcceptedValuesRule {
  /** Without any of these members the rule has nothing to say, so it is not asked. Absent: it is asked about every registration. */
  readonly about?: readonly string[];
}

type Check = MetadataRule['check'];

/** RFC 7591 §2.1: "a server … SHOULD check that the values are consistent". */
const responseTypesHaveTheirGrants: Check = ({ response_types, grant_types }, report) => {
  for (const [index, response_type] of response_types.entries()) {
    const needed = RESPONSE_TYPES[responseTypeName(response_type) ?? ''] ?? [];
    const missing = needed.find((grant) => !grant_types.includes(grant));
    if (missing === undefined) continue;
    const rule = `requires grant_types to include ${missing}`;
    report({ member: 'response_types', index, value: response_type, rule });
  }
};

const grantsHaveTheirResponseTypes: Check = ({ response_types, grant_types }, report) => {
  for (const [index, grant] of grant_types.entries()) {
    if (!GRANT_TYPES[grant].redirects) continue;
    const fits = (type: string): boolean => RESPONSE_TYPES[type]?.includes(grant) === true;
    if (response_types.some((type) => fits(responseTypeName(type) ?? ''))) continue;
    const allowed = Object.keys(RESPONSE_TYPES).filter(fits);
    const rule = `requires response_types to include one of: ${allowed.join(', ')}`;
    report({ member: 'grant_types', index, value: grant, rule, allowed });
  }
};

/** RFC 7591 §5: "clients using flows with redirection MUST register their redirection URI values". */
const redirectGrantsHaveRedirectUris: Check = ({ grant_types, redirect_uris }, report) => {
  const redirecting = grant_types.find((grant) => GRANT_TYPES[grant].redirects);
  if (redirecting !== undefined && (redirect_uris === undefined || redirect_uris.length === 0)) {
    const rule = `must have at least one value for the grant type ${redirecting}`;
    report({ member: 'redirect_uris', rule, error: 'invalid_redirect_uri' });
  }
};

const redirectUrisAreSafe: Check = (metadata, report, limits) => {
  const { application_type, grant_types } = metadata;
  const { privateSchemes, httpForWeb } = limits;
  const rules = { application_type, implicit: grant_types.includes('implicit'), privateSchemes, httpForWeb };
  for (const member of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    for (const [index, uri] of (metadata[member] ?? []).entries()) {
      const rule = redirectUriProblem(uri, rules);
      if (rule !== undefined)
        report({ member, index, value: shownUri(uri), rule, error: 'invalid_redirect_uri' });
    }
  }
};

/**
 * RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients." RFC 8693 §2.1 leaves it to the
 * server whether an unknown party may exchange tokens; a thief could, so it may not. OpenID Connect CIBA Core 1.0 §7.1: "The Client MUST authenticate to
 * the Backchannel Authentication Endpoint".
 */
const GRANTS_OF_CONFIDENTIAL_CLIENTS = ['client_credentials', TOKEN_EXCHANGE_GRANT, CIBA_GRANT] as const;

const confidentialGrantsAreConfidential: Check = ({ grant_types, token_endpoint_auth_method }, report) => {
  if (token_endpoint_auth_method !== 'none') return;
  const grant = GRANTS_OF_CONFIDENTIAL_CLIENTS.find((one) => grant_types.includes(one));
  if (grant === undefined) return;
  const rule = `includes ${grant}, so token_endpoint_auth_method must not be none`;
  report({ member: 'grant_types', rule });
};

/**
 * OpenID Connect Dynamic Client Registration 1.0 §2: "The jwks_uri and jwks parameters MUST NOT be used
 * together." OpenID Federation 1.0 §5.2.1.1: "there may be circumstances in which it is desirable to use multiple JWK Set
 * representations, such as when an Entity is in multiple federations".
 */
const keysComeFromOnePlace: Check = ({ jwks, jwks_uri }, report, { federated }) => {
  if (jwks !== undefined && jwks_uri !== undefined && federated !== true)
    report({ member: 'jwks', rule: 'and jwks_uri must not be used together' });
};

const keysAreSound: Check = ({ jwks }, report) => {
  if (jwks === undefined) return;
  const { keys } = jwks as { readonly keys: readonly unknown[] };
  let isEachSound = true;
  for (const [index, key] of keys.entries()) {
    const rule = clientJwkProblem(key);
    if (rule === undefined) continue;
    report({ member: 'jwks.keys', index, rule });
    isEachSound = false;
  }
  if (isEachSound && duplicateKeyId(keys))
    report({ member: 'jwks.keys', rule: 'has two keys with the same kid and use' });
};

/** The members that configure encrypted responses and requests. */
const ENCRYPTED = [
  'id_token_encrypted_response',
  'userinfo_encrypted_response',
  'authorization_encrypted_response',
  'introspection_encrypted_response',
  'request_object_encryption',
].map((what) => ({ alg: `${what}_alg`, enc: `${what}_enc`, ofResponse: what.endsWith('_response') }));

/**
 * OpenID Connect Dynamic Client Registration 1.0 §2: "When id_token_encrypted_response_enc is included, …
 * _alg MUST also be provided."
 */
const encryptionNamesItsKeyManagement: Check = (metadata, report) => {
  for (const { alg, enc } of ENCRYPTED) {
    if (metadata[enc] !== undefined && metadata[alg] === undefined)
      report({ member: enc, rule: `requires ${alg}` });
  }
};

const hasKeys = (metadata: ClientMetadata): boolean => KEYS.some((member) => metadata[member] !== undefined);

const requiresKeys = (federated: true | undefined): string =>
  federated === true ? 'requires jwks, jwks_uri or signed_jwks_uri' : 'requires jwks or jwks_uri';

/** An encrypted response needs a public key of the client. */
const encryptedResponsesHaveKeys: Check = (metadata, report, { federated }) => {
  if (hasKeys(metadata)) return;
  const encrypted = ENCRYPTED.find(({ alg, ofResponse }) => ofResponse && metadata[alg] !== undefined);
  if (encrypted !== undefined) report({ member: encrypted.alg, rule: requiresKeys(federated) });
};

const encryptedResponsesHaveKeysOfTheirKind: Check = (metadata, report) => {
  // The set at signed_jwks_uri counts before this copy.
  if (metadata['jwks'] === undefined || metadata['signed_jwks_uri'] !== undefined) return;
  const { keys } = metadata['jwks'] as { readonly keys: readonly JsonWebKey[] };
  for (const { alg, ofResponse } of ENCRYPTED) {
    const algorithm = KEY_MANAGEMENT_ALGORITHMS.find((known) => known === metadata[alg]);
    if (algorithm === undefined || !ofResponse) continue;
    if (encryptionKey(keys, algorithm) === undefined) {
      const rule = `requires a key in jwks for ${algorithm}`;
      report({ member: alg, value: algorithm, rule });
    }
  }
};

/** OpenID Connect Core 1.0 §9: client_secret_jwt is keyed with the secret, private_key_jwt with a key pair. */
const assertionAlgorithmFitsItsMethod: Check = (metadata, report) => {
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
  const rule = `does not fit ${method}; allowed: ${expected.join(', ')}`;
  report({ member: 'token_endpoint_auth_signing_alg', value: algorithm, rule, allowed: expected });
};

/** OpenID Connect Core 1.0 §9, RFC 8705 §2.2.2: methods that prove a private key need the public key. */
const clientsThatProveKeysHaveKeys: Check = (metadata, report, { federated }) => {
  const { token_endpoint_auth_method: method } = metadata;
  const provesKey = method === 'private_key_jwt' || method === 'self_signed_tls_client_auth';
  if (provesKey && !hasKeys(metadata))
    report({ member: 'token_endpoint_auth_method', value: method, rule: requiresKeys(federated) });
};

const CERTIFICATE_SUBJECTS = ['subject_dn', 'san_dns', 'san_uri', 'san_ip', 'san_email'].map(
  (subject) => `tls_client_auth_${subject}`,
);

/** RFC 8705 §2.1.2: "A client using the tls_client_auth authentication method MUST use exactly one" of these. */
const certificateSubjectsBelongToTheirMethod: Check = (metadata, report) => {
  const given = CERTIFICATE_SUBJECTS.filter((member) => metadata[member] !== undefined);
  const method: string = metadata.token_endpoint_auth_method;
  if (method === 'tls_client_auth') {
    if (given.length === 1) return;
    const rule = `requires exactly one of: ${CERTIFICATE_SUBJECTS.join(', ')}`;
    report({ member: 'token_endpoint_auth_method', value: method, rule, allowed: CERTIFICATE_SUBJECTS });
    return;
  }
  const rule = `requires token_endpoint_auth_method tls_client_auth, not ${method}`;
  for (const member of given) report({ member, rule });
};

/**
 * OpenID Connect Core 1.0 §8.1, OpenID Connect CIBA Core 1.0 §4: clients with pairwise subjects and several hosts need a sector
 * identifier. Grants that give tokens without a redirection URI need a proof that the sector is the client's own.
 */
const pairwiseClientsHaveOneSector: Check = (metadata, report) => {
  if (metadata['subject_type'] !== 'pairwise') return;
  const refuse = (rule: string): void => report({ member: 'subject_type', value: 'pairwise', rule });
  const proofs = sectorProofs(metadata);
  for (const proof of proofs) {
    const lack = lackOf(metadata, proof);
    if (lack !== undefined) return refuse(`requires ${lack} for the grant type ${proof.grant}`);
  }
  const addresses = sectorAddresses(metadata);
  // A document that need not list anything would lend its sector to any client that names it.
  if (metadata['sector_identifier_uri'] !== undefined && addresses.length > 0) return;
  const hosts = new Set(addresses.map(({ url }) => parseUri(url)?.http?.host));
  const listed = ['redirect_uris', ...new Set(proofs.map(({ member }) => member))].join(' and ');
  if (hosts.size !== 1 || hosts.has(undefined))
    refuse(`requires ${listed} with one host, or sector_identifier_uri`);
};

/** Prove the keys of `jwks_uri`, which belongs to the sector. Anyone can name the `jwks_uri` of another client. */
const PROVING_METHODS = ['private_key_jwt', 'self_signed_tls_client_auth'];
const SIGNED_ASKING = 'backchannel_authentication_request_signing_alg';

/** Returns the words for what a client lacks to prove its sector. A device asks without a signed request. */
function lackOf(metadata: ClientMetadata, { member, grant }: SectorProof): string | undefined {
  if (metadata[member] === undefined) return member;
  if (member !== 'jwks_uri' || PROVING_METHODS.includes(metadata.token_endpoint_auth_method))
    return undefined;
  const methods = `token_endpoint_auth_method ${PROVING_METHODS.join(' or ')}`;
  if (grant !== CIBA_GRANT) return methods;
  return metadata[SIGNED_ASKING] === undefined ? `${methods}, or ${SIGNED_ASKING},` : undefined;
}

/**
 * OpenID Connect Front-Channel Logout 1.0 §2: "The domain, port, and scheme of this URL MUST be the same as that
 * of a registered Redirection URI value". So no registration makes browsers load pages of a host that it does not name as its own.
 */
const frontChannelUriHasOriginOfRedirectUri: Check = (
  { frontchannel_logout_uri: uri, redirect_uris = [] },
  report,
) => {
  if (typeof uri !== 'string' || parseUri(uri)?.http === undefined) return;
  // A frame cannot load a private-use scheme.
  const loadable = redirect_uris.filter((redirect) => parseUri(redirect)?.http !== undefined);
  const allowed = [...new Set(loadable.map((redirect) => new URL(redirect).origin))];
  if (allowed.includes(new URL(uri).origin)) return;
  const choice = allowed.length === 0 ? 'there is none' : `allowed: ${allowed.join(', ')}`;
  const rule = `must have the scheme, host and port of one of redirect_uris; ${choice}`;
  report({ member: 'frontchannel_logout_uri', value: shownUri(uri), rule });
};

/**
 * OpenID Connect CIBA Core 1.0 §4: `backchannel_token_delivery_mode` is required, and `backchannel_client_notification_endpoint` "if the token delivery mode
 * is set to ping or push". Tokens that are pushed come without a proof of a key.
 */
const backchannelClientsCanBeReached: Check = (metadata, report) => {
  const [mode, endpoint] = [metadata[DELIVERY_MODE], metadata[NOTIFIED]];
  if (!metadata.grant_types.includes(CIBA_GRANT)) return;
  if (mode === undefined) {
    report({ member: DELIVERY_MODE, rule: `is needed for the grant type ${CIBA_GRANT}` });
    return;
  }
  if (mode !== 'poll' && endpoint === undefined)
    report({ member: NOTIFIED, rule: `is needed for ${DELIVERY_MODE} ping and push` });
  const bound = KEY_BINDINGS.find((member) => metadata[member] === true);
  if (mode === 'push' && bound !== undefined)
    report({ member: DELIVERY_MODE, value: mode, rule: `cannot be used with ${bound}` });
};

const DELIVERY_MODE = 'backchannel_token_delivery_mode';
const NOTIFIED = 'backchannel_client_notification_endpoint';
const KEY_BINDINGS = ['tls_client_certificate_bound_access_tokens', 'dpop_bound_access_tokens'];

const GRANTS = ['grant_types', 'response_types'];
const METHOD = ['token_endpoint_auth_method'];
const ASSERTION = ['token_endpoint_auth_signing_alg'];
const ENCRYPTION = ENCRYPTED.flatMap(({ alg, enc }) => [alg, enc]);

const METADATA_RULES: readonly MetadataRule[] = [
  { reads: GRANTS, check: responseTypesHaveTheirGrants },
  { reads: GRANTS, check: grantsHaveTheirResponseTypes },
  { reads: ['grant_types', 'redirect_uris'], check: redirectGrantsHaveRedirectUris },
  { reads: [], about: ['redirect_uris', 'post_logout_redirect_uris'], check: redirectUrisAreSafe },
  { reads: [...METHOD, 'grant_types'], check: confidentialGrantsAreConfidential },
  { reads: KEYS, about: ['jwks'], check: keysComeFromOnePlace },
  { reads: ['jwks'], about: ['jwks'], check: keysAreSound },
  { reads: ENCRYPTION, about: ENCRYPTION, check: encryptionNamesItsKeyManagement },
  { reads: [...KEYS, ...ENCRYPTION], about: ENCRYPTION, check: encryptedResponsesHaveKeys },
  { reads: [...KEYS, ...ENCRYPTION], about: ENCRYPTION, check: encryptedResponsesHaveKeysOfTheirKind },
  { reads: [...METHOD, ...ASSERTION], about: ASSERTION, check: assertionAlgorithmFitsItsMethod },
  { reads: [...METHOD, ...KEYS], check: clientsThatProveKeysHaveKeys },
  { reads: [...METHOD, ...CERTIFICATE_SUBJECTS], check: certificateSubjectsBelongToTheirMethod },
  {
    reads: [
      'subject_type',
      'sector_identifier_uri',
      'redirect_uris',
      'grant_types',
      ...METHOD,
      'jwks_uri',
      SIGNED_ASKING,
      DELIVERY_MODE,
      NOTIFIED,
    ],
    check: pairwiseClientsHaveOneSector,
  },
  { reads: ['grant_types', DELIVERY_MODE, NOTIFIED], check: backchannelClientsCanBeReached },
  {
    reads: ['frontchannel_logout_uri', 'redirect_uris'],
    about: ['frontchannel_logout_uri'],
    check: frontChannelUriHasOriginOfRedirectUri,
  },
  ...ACCEPTED_VALUES_RULES,
];

/** The rules that wait for a member, by its name, as places in `METADATA_RULES`. */
const WAITING = new Map<string, number[]>();
for (const [place, { about = [] }] of METADATA_RULES.entries())
  for (const member of about) WAITING.set(member, [...(WAITING.get(member) ?? []), place]);

/** Says of each rule whether it has to be asked about a registration. Few of the possible members are there. */
function asked(metadata: ClientMetadata): readonly boolean[] {
  const rules = METADATA_RULES.map(({ about }) => about === undefined);
  for (const member in metadata) for (const place of WAITING.get(member) ?? []) rules[place] = true;
  return rules;
}

/**
 * Checks the rules between members.
 * @param mistakes those of the members themselves; receives those of the rules
 */
export function checkRules(metadata: ClientMetadata, limits: MetadataLimits, mistakes: Mistake[]): void {
  const wrong = new Set(mistakes.map(({ member }) => member));
  const report = (mistake: Mistake): void => {
    mistakes.push(mistake);
    // Rules that use the keys follow those about the keys themselves.
    if (mistake.member === 'jwks.keys') wrong.add('jwks');
  };
  const isAsked = asked(metadata);
  for (const [place, { reads, check }] of METADATA_RULES.entries()) {
    if (isAsked[place] !== true) continue;
    if (wrong.size > 0 && reads.some((member) => wrong.has(member))) continue;
    check(metadata, report, limits);
  }
}
