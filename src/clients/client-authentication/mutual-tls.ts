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
import { findClientKey, type RemoteJwkSets, requireKeysNow } from '../client-keys/remote-jwk-set.ts';
import { metadataOf } from '../registered-client.ts';
import { clientIdentifier } from './client-identifier.ts';
import type { AuthenticationMethod, AuthenticationNeeds, Connection, Proof } from './method.ts';

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
    const { publicKey } = certificate;
    const detail = await keyProblem(assertions.jwkSets, stored, remoteAddress, (jwk) =>
      isKey(jwk, publicKey),
    );
    return detail === undefined ? { proved: true, secret: undefined } : refused(detail, 'certificate-key');
  },
};

/**
 * Returns why a certificate that has authenticated an automatic client does not do so for a pushed request; undefined if it does.
 * OpenID Federation 1.0 §12.1.1.2: "the corresponding public key MUST be in the Entity's RP JWK Set", and "the self-signed
 * certificate MUST be present as the value of an x5c Claim". Other methods have no such rule.
 * @throws OAuthError temporarily_unavailable if the set cannot be fetched now
 */
export async function statedCertificateProblem(
  { assertions }: AuthenticationNeeds,
  stored: StoredClient,
  { certificate: presented, remoteAddress }: Connection,
): Promise<string | undefined> {
  const { token_endpoint_auth_method: method } = metadataOf(stored);
  const selfSigned = method === selfSignedTlsClientAuth.name;
  const certificate = presented === undefined ? undefined : certificateOf(presented);
  if (presented === undefined || certificate === undefined) return undefined;
  if (!selfSigned && method !== tlsClientAuth.name) return undefined;
  const { publicKey } = certificate;
  const problem = await keyProblem(
    assertions.jwkSets,
    stored,
    remoteAddress,
    (jwk) => isKey(jwk, publicKey) && (!selfSigned || isCertifiedBy(jwk, presented)),
  );
  if (problem === undefined) return undefined;
  return selfSigned
    ? 'the certificate must be the x5c of a key in the key set of the client'
    : 'the key of the certificate must be in the key set of the client';
}

/** The key policy has compared the key with the first certificate. */
function isCertifiedBy({ x5c }: JsonWebKey, { der }: ClientCertificate): boolean {
  const [first] = Array.isArray(x5c) ? x5c : [];
  return typeof first === 'string' && Buffer.compare(Buffer.from(first, 'base64'), der) === 0;
}

/**
 * Returns why the client has no key that `fits`, for the log; undefined if it has one. Fetches a published key set
 * again if the key is missing: the client may have added it recently.
 * @throws OAuthError temporarily_unavailable if the set cannot be fetched now
 */
async function keyProblem(
  jwkSets: RemoteJwkSets,
  stored: StoredClient,
  remoteAddress: string,
  fits: (jwk: JsonWebKey) => boolean,
): Promise<string | undefined> {
  const cause = { purpose: 'client-keys', remoteAddress } as const;
  const found = await findClientKey(jwkSets, metadataOf(stored), cause, (keys) => keys.find(fits));
  if ('found' in found) return undefined;
  requireKeysNow(found, 'keys of the client');
  return found.lacksKey === true ? 'its key is not registered' : found.problem;
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
