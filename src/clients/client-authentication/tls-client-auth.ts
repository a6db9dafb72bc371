import type { Certificate } from '../../keys/certificate.ts';
import { certificatePathProblem, clientCertificateProblem } from '../../keys/certificate-path.ts';
import type { ClientCertificate } from '../../spec/client-certificate.ts';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { parseName, sameName } from '../../spec/distinguished-name.ts';
import { ipAddressOctets } from '../../spec/ip-address.ts';
import { metadataOf } from '../registered-client.ts';
import { clientIdentifier } from './client-identifier.ts';
import type { AuthenticationMethod, AuthenticationNeeds, Proof } from './method.ts';
import { certificateOf } from './presented-certificate.ts';

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
