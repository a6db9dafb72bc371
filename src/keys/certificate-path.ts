import { type Certificate, readCertificate } from './certificate.ts';

/** The most certificates between the client's and the authority's. */
const INTERMEDIATES_MAX = 10;

/** The most certificates that are read beside the client's: a list may hold more than its path needs. */
const READ_MAX = 2 * INTERMEDIATES_MAX;

/** RFC 8017 and RFC 5758 with SHA-2, and RFC 8410; without MD5 and SHA-1. */
const SIGNATURE_ALGORITHMS: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
]);

/** RFC 4055 §3.1: the hash of an RSASSA-PSS signature stands in its parameters. SHA-256, SHA-384, SHA-512. */
const RSASSA_PSS = '1.2.840.113549.1.1.10';
const PSS_HASHES: ReadonlySet<string | undefined> = new Set([
  '2.16.840.1.101.3.4.2.1',
  '2.16.840.1.101.3.4.2.2',
  '2.16.840.1.101.3.4.2.3',
]);

const RSA_BITS_MIN = 2048;
const CURVES: ReadonlySet<string | undefined> = new Set([
  'prime256v1',
  'secp384r1',
  'secp521r1',
  'brainpoolP256r1',
  'brainpoolP384r1',
  'brainpoolP512r1',
]);

/** RFC 5280 §4.2.1.12, id-kp-clientAuth. */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/**
 * Checks whether a certificate allows the authentication of a client: it is valid now, and its key usages, if it names any,
 * include it (RFC 5280 §4.2.1.3, §4.2.1.12). Returns the problem for the log, or undefined.
 */
export function clientCertificateProblem(certificate: Certificate, now: number): string | undefined {
  const { keyUsage } = certificate;
  if (keyUsage !== undefined && !keyUsage.has('digitalSignature') && !keyUsage.has('keyAgreement')) {
    return 'its key is not for signatures';
  }
  if (excludesClients(certificate)) return 'it is not for the authentication of clients';
  return validityProblem(certificate, now);
}

const excludesClients = ({ extendedKeyUsage, netscapeType }: Certificate): boolean =>
  (extendedKeyUsage !== undefined && !extendedKeyUsage.includes(CLIENT_AUTHENTICATION)) ||
  netscapeType === 'no client';

function validityProblem({ notBefore, notAfter }: Certificate, now: number): string | undefined {
  if (now < notBefore) return 'it is not valid yet';
  return now > notAfter ? 'it has expired' : undefined;
}

/**
 * Builds the path from a certificate to an authority (RFC 5280 §6.1) over the intermediates that came with it. Returns the
 * problem for the log; undefined if the path holds. A handshake and a proxy's header ask this same function, so both give
 * the same verdict (ADR 44). It refuses what it cannot check whole: name constraints, and unknown critical extensions.
 * @param authorities trusted for this purpose; the path ends at the first of them
 */
export function certificatePathProblem(
  certificate: Certificate,
  intermediates: readonly Uint8Array[],
  authorities: readonly Certificate[],
  now: number,
): string | undefined {
  const detail = pathProblem(certificate, intermediates, authorities, now);
  return detail === undefined ? undefined : `no path from it to a trusted authority: ${detail}`;
}

/** Takes one issuer a step, as OpenSSL does, and never tries another: so a chain costs one signature a step. */
function pathProblem(
  certificate: Certificate,
  intermediates: readonly Uint8Array[],
  authorities: readonly Certificate[],
  now: number,
): string | undefined {
  const read = intermediates.slice(0, READ_MAX).flatMap((der) => readCertificate(der) ?? []);
  const path = [certificate];
  for (let subject = certificate; ; ) {
    const between = path.length - 1;
    if (between > INTERMEDIATES_MAX) return `more than ${INTERMEDIATES_MAX} certificates between them`;
    const authority = issuerOf(subject, authorities, now);
    const issuer =
      authority ??
      issuerOf(
        subject,
        read.filter((each) => !path.includes(each)),
        now,
      );
    if (issuer === undefined) return 'the certificate of an issuer is missing';
    const problem =
      statementProblem(subject) ?? signatureProblem(subject) ?? issuingProblem(issuer, between, now);
    if (problem !== undefined) return problem;
    if (!subject.x509.verify(issuer.publicKey)) return 'a signature is wrong';
    if (authority !== undefined) return undefined;
    path.push(issuer);
    subject = issuer;
  }
}

/** Returns the first certificate with the issuer's name and key identifier, and prefers one that is valid now. */
function issuerOf(
  subject: Certificate,
  candidates: readonly Certificate[],
  now: number,
): Certificate | undefined {
  const issuers = candidates.filter((candidate) => subject.x509.checkIssued(candidate.x509));
  return issuers.find((issuer) => validityProblem(issuer, now) === undefined) ?? issuers[0];
}

/** Returns why a configured authority can vouch for no client, for the log; undefined if it can. */
export function authorityProblem(authority: Certificate, now: number): string | undefined {
  return issuingProblem(authority, 0, now);
}

/** @param between the number of certificates between the issuer and the client's certificate */
function issuingProblem(issuer: Certificate, between: number, now: number): string | undefined {
  if (!issuer.x509.ca || issuer.keyUsage?.has('keyCertSign') === false) return 'an issuer is no authority';
  if (between > issuer.pathLength) return 'an authority limits the length of its paths';
  // RFC 5280 §4.2.1.12 speaks of the key in the certificate. OpenSSL applies it to authorities too: what they issue.
  if (excludesClients({ ...issuer, netscapeType: undefined })) {
    return 'an authority is not for the authentication of clients';
  }
  if (validityProblem(issuer, now) !== undefined) return 'an authority is not valid now';
  return statementProblem(issuer);
}

/** Returns the problem with what one certificate of a path says, apart from its signature. */
function statementProblem({ publicKey, notUnderstood, hasNameConstraints }: Certificate): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
  const strong =
    type === 'rsa' || type === 'rsa-pss'
      ? (details?.modulusLength ?? 0) >= RSA_BITS_MIN
      : type === 'ec'
        ? CURVES.has(details?.namedCurve)
        : type === 'ed25519' || type === 'ed448';
  if (!strong) return 'a key is too weak, or of an unknown kind';
  if (hasNameConstraints) return 'a certificate has name constraints, which this server does not check';
  const [unknown] = notUnderstood;
  return unknown === undefined ? undefined : `a certificate has the unknown critical extension ${unknown}`;
}

function signatureProblem({ signatureAlgorithm, pssHash }: Certificate): string | undefined {
  const known =
    signatureAlgorithm === RSASSA_PSS
      ? PSS_HASHES.has(pssHash)
      : SIGNATURE_ALGORITHMS.has(signatureAlgorithm);
  return known ? undefined : 'a signature algorithm is too weak, or unknown';
}
