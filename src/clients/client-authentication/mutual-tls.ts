import type { KeyObject } from 'node:crypto';
import { type Certificate, readCertificate } from '../../keys/certificate.ts';
import { certificatePathProblem, clientCertificateProblem } from '../../keys/certificate-path.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseName, sameName } from '../../spec/distinguished-name.ts';
import { ipAddressOctets } from '../../spec/ip-address.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { RemoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import { metadataOf } from '../registered-client.ts';
import { clientIdentifier } from './client-identifier.ts';
import type { AuthenticationMethod, AuthenticationNeeds, Proof } from './method.ts';

/** RFC 8705 §2.1: a certificate with the registered subject, whose chain leads to a trusted authority. */
export const tlsClientAuth: AuthenticationMethod = {
  name: 'tls_client_auth',
  place: clientIdentifier,
  prove(needs, stored, _claimed, presented) {
    if (presented === undefined) return refused('no certificate');
    const certificate = certificateOf(presented);
    if (certificate === undefined) return refused('a certificate that cannot be read');
    if (!hasRegisteredSubject(certificate, metadataOf(stored))) return refused('another subject');
    const problem =
      clientCertificateProblem(certificate, needs.clock.now()) ?? chainProblem(needs, certificate, presented);
    return problem === undefined ? { proved: true, secret: undefined } : refused(problem);
  },
};

const refused = (detail: string): Proof => ({ proved: false, detail: `certificate: ${detail}` });

function chainProblem(
  { clock, certificateAuthorities }: AuthenticationNeeds,
  certificate: Certificate,
  { chain }: ClientCertificate,
): string | undefined {
  if (chain.checked) return chain.problem;
  return certificatePathProblem(certificate, chain.intermediates, certificateAuthorities(), clock.now());
}

/** RFC 8705 §2.1.2, each member with how its value is compared. */
const SUBJECTS: Readonly<Record<string, (certificate: Certificate, expected: string) => boolean>> = {
  tls_client_auth_subject_dn: ({ subject }, expected) => {
    const name = parseName(expected);
    return name !== undefined && sameName(name, subject);
  },
  // RFC 4343 §2: names of the DNS differ by more than the case of ASCII letters. A wildcard stands for itself.
  tls_client_auth_san_dns: ({ names }, expected) =>
    names.dns.some((name) => name.toLowerCase() === expected.toLowerCase()),
  // RFC 3986 §6.2.1, simple string comparison: it never finds two different URIs equal.
  tls_client_auth_san_uri: ({ names }, expected) => names.uri.includes(expected),
  // "the comparison SHALL be on the binary".
  tls_client_auth_san_ip: ({ names }, expected) => {
    const octets = ipAddressOctets(expected);
    return octets !== undefined && names.ip.some((address) => Buffer.compare(address, octets) === 0);
  },
  // RFC 5280 §7.5: the part before the @ as it stands, the domain without regard to case.
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
 * RFC 8705 §2.2: a certificate that nobody need vouch for, since the client has registered its key. The key alone is
 * compared, and so a JWK serves with `x5c` and without: registration has seen to it that both say the same.
 */
export const selfSignedTlsClientAuth: AuthenticationMethod = {
  name: 'self_signed_tls_client_auth',
  place: clientIdentifier,
  async prove({ assertions, clock }, stored, _claimed, presented) {
    const certificate = presented === undefined ? undefined : certificateOf(presented);
    if (certificate === undefined) return refused('none that can be read');
    const problem = clientCertificateProblem(certificate, clock.now());
    if (problem !== undefined) return refused(problem);
    const detail = await keyProblem(assertions.jwkSets, stored, certificate.publicKey);
    return detail === undefined ? { proved: true, secret: undefined } : refused(detail);
  },
};

/** A published set is fetched once more where it lacks the key: its owner may just have added it. */
async function keyProblem(
  jwkSets: RemoteJwkSets,
  stored: StoredClient,
  key: KeyObject,
): Promise<string | undefined> {
  const { jwks, jwks_uri } = metadataOf(stored);
  const lookIn = (keys: readonly JsonWebKey[]): JsonWebKey | undefined => keys.find((jwk) => isKey(jwk, key));
  if (typeof jwks_uri === 'string') {
    const found = await jwkSets.find(jwks_uri, lookIn);
    return 'problem' in found ? found.problem : undefined;
  }
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  return lookIn(keys) === undefined ? 'its key is not registered' : undefined;
}

const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'];

const KEY_TYPES: ReadonlySet<string> = new Set(['rsa', 'ec', 'ed25519']);

/** A JWK has one spelling here: the key policy takes canonical base64url only. */
function isKey(jwk: JsonWebKey, key: KeyObject): boolean {
  if (jwk['use'] === 'enc' || !KEY_TYPES.has(key.asymmetricKeyType ?? '')) return false;
  const certified: JsonWebKey = { ...key.export({ format: 'jwk' }) };
  return PUBLIC_MEMBERS.every((member) => certified[member] === jwk[member]);
}

/** A connection shows the same certificate with each of its requests: it is read once. */
const read = new WeakMap<ClientCertificate, Certificate>();

/** What a presented certificate says; undefined where it cannot be read. */
export function certificateOf(presented: ClientCertificate): Certificate | undefined {
  const known = read.get(presented);
  if (known !== undefined) return known;
  const certificate = readCertificate(presented.der);
  if (certificate !== undefined) read.set(presented, certificate);
  return certificate;
}
