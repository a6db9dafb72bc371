import type { KeyObject } from 'node:crypto';
import { type Certificate, readCertificate } from '../../keys/certificate.ts';
import { certificatePathProblem, clientCertificateProblem } from '../../keys/certificate-path.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseName, sameName } from '../../spec/distinguished-name.ts';
import { ipAddressOctets } from '../../spec/ip-address.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { RefusalReason } from '../../spec/refusal-reasons.ts';
import { type RemoteJwkSets, requireKeysNow } from '../client-keys/remote-jwk-set.ts';
import { metadataOf } from '../registered-client.ts';
import { clientIdentifier } from './client-identifier.ts';
import type { AuthenticationMethod, AuthenticationNeeds, Proof } from './method.ts';

/**
 * Proves a client by a certificate with the registered subject and a chain to a trusted authority (RFC 8705
 * §2.1).
 */
export const tlsClientAuth: AuthenticationMethod = {
  name: 'tls_client_auth',
  place: clientIdentifier,
  prove(needs, stored, _claimed, { certificate: presented }) {
    if (presented === undefined) return refused('none was presented', 'no-certificate');
    const certificate = certificateOf(presented);
    if (certificate === undefined) return refused('it is malformed');
    if (!hasRegisteredSubject(certificate, metadataOf(stored)))
      return refused('it does not have the registered subject', 'certificate-subject');
    const problem =
      clientCertificateProblem(certificate, needs.clock.now()) ?? chainProblem(needs, certificate, presented);
    return problem === undefined ? { proved: true, secret: undefined } : refused(problem);
  },
};

const refused = (detail: string, reason: RefusalReason = 'certificate'): Proof => ({
  proved: false,
  notes: { reason, detail: `certificate: ${detail}` },
});

function chainProblem(
  { clock, certificateAuthorities }: AuthenticationNeeds,
  certificate: Certificate,
  { chain }: ClientCertificate,
): string | undefined {
  // OpenSSL's verdict alone would differ from ours, which is all that there is for a certificate from a proxy (ADR 44).
  return (
    chain.problem ??
    certificatePathProblem(certificate, chain.intermediates, certificateAuthorities(), clock.now())
  );
}

/** The subject members of RFC 8705 §2.1.2, each with the comparison of its value. */
const SUBJECTS: Readonly<Record<string, (certificate: Certificate, expected: string) => boolean>> = {
  tls_client_auth_subject_dn: ({ subject }, expected) => {
    const name = parseName(expected);
    return name !== undefined && sameName(name, subject);
  },
  // RFC 4343 §2: DNS names ignore the case of ASCII letters only. A wildcard stands for itself.
  tls_client_auth_san_dns: ({ names }, expected) =>
    names.dns.some((name) => name.toLowerCase() === expected.toLowerCase()),
  // RFC 3986 §6.2.1: simple string comparison never takes two different URIs for equal.
  tls_client_auth_san_uri: ({ names }, expected) => names.uri.includes(expected),
  // "the comparison SHALL be on the binary".
  tls_client_auth_san_ip: ({ names }, expected) => {
    const octets = ipAddressOctets(expected);
    return octets !== undefined && names.ip.some((address) => Buffer.compare(address, octets) === 0);
  },
  // RFC 5280 §7.5: the part before the @ is compared exactly, the domain without regard to case.
  tls_client_auth_san_email: ({ names }, expected) =>
    names.email.some((address) => comparableEmail(address) === comparableEmail(expected)),
};

function comparableEmail(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

function hasRegisteredSubject(certificate: Certificate, metadata: ClientMetadata): boolean {
  return Object.entries(SUBJECTS).some(([member, matches]) => {
    const expected = metadata[member];
    return typeof expected === 'string' && matches(certificate, expected);
  });
}

/**
 * Proves a client by a certificate whose key it has registered; no authority needs to sign it (RFC 8705
 * §2.2). Only the key is compared, so a JWK works with and without `x5c`: registration checks that both
 * agree.
 */
export const selfSignedTlsClientAuth: AuthenticationMethod = {
  name: 'self_signed_tls_client_auth',
  place: clientIdentifier,
  async prove({ assertions, clock }, stored, _claimed, { certificate: presented, remoteAddress }) {
    const certificate = presented === undefined ? undefined : certificateOf(presented);
    if (certificate === undefined)
      return presented === undefined
        ? refused('none was presented', 'no-certificate')
        : refused('it is malformed');
    const problem = clientCertificateProblem(certificate, clock.now());
    if (problem !== undefined) return refused(problem);
    const detail = await keyProblem(assertions.jwkSets, stored, remoteAddress, certificate.publicKey);
    return detail === undefined ? { proved: true, secret: undefined } : refused(detail, 'certificate-key');
  },
};

/**
 * Returns why the key is not one of the client, for the log; undefined if it is. Fetches a published key set
 * again if the key is missing: the client may have added it recently.
 * @throws OAuthError temporarily_unavailable if the set cannot be fetched now
 */
async function keyProblem(
  jwkSets: RemoteJwkSets,
  stored: StoredClient,
  remoteAddress: string,
  key: KeyObject,
): Promise<string | undefined> {
  const { jwks, jwks_uri } = metadataOf(stored);
  const lookIn = (keys: readonly JsonWebKey[]): JsonWebKey | undefined => keys.find((jwk) => isKey(jwk, key));
  if (typeof jwks_uri === 'string') {
    const cause = { purpose: 'client-keys', remoteAddress } as const;
    const found = await jwkSets.find(jwks_uri, cause, lookIn);
    if ('found' in found) return undefined;
    requireKeysNow(found, 'keys of the client');
    return found.problem;
  }
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  return lookIn(keys) === undefined ? 'its key is not registered' : undefined;
}

const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'];

const KEY_TYPES: ReadonlySet<string> = new Set(['rsa', 'ec', 'ed25519']);

/**
 * Compares a JWK with a public key. The key policy admits canonical base64url only, so texts can be compared.
 */
function isKey(jwk: JsonWebKey, key: KeyObject): boolean {
  if (jwk['use'] === 'enc' || !KEY_TYPES.has(key.asymmetricKeyType ?? '')) return false;
  const certified: JsonWebKey = { ...key.export({ format: 'jwk' }) };
  return PUBLIC_MEMBERS.every((member) => certified[member] === jwk[member]);
}

/** A connection presents the same object with each request, so each certificate is parsed once. */
const read = new WeakMap<ClientCertificate, Certificate>();

/** Parses a presented certificate; returns undefined if it is malformed. */
function certificateOf(presented: ClientCertificate): Certificate | undefined {
  const known = read.get(presented);
  if (known !== undefined) return known;
  const certificate = readCertificate(presented.der);
  if (certificate !== undefined) read.set(presented, certificate);
  return certificate;
}
