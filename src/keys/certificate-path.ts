import { type Certificate, readCertificate } from './certificate.ts';

/** The most certificates between the client's and the authority's. */
const INTERMEDIATES_MAX = 5;

/** The most signatures that are checked for one certificate, so that many fitting intermediates cost no more. */
const SIGNATURES_MAX = 12;

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

const RSA_BITS_MIN = 2048;

/** RFC 5280 §4.2.1.12, id-kp-clientAuth. */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2';

/**
 * Checks whether a certificate allows the authentication of a client: it is valid now, and its key usages, if it names any,
 * include it (RFC 5280 §4.2.1.3, §4.2.1.12). Returns the problem for the log, or undefined.
 */
export function clientCertificateProblem(certificate: Certificate, now: number): string | undefined {
  const { keyUsage, extendedKeyUsage } = certificate;
  if (keyUsage !== undefined && !keyUsage.has('digitalSignature') && !keyUsage.has('keyAgreement')) {
    return 'its key is not for signatures';
  }
  if (extendedKeyUsage !== undefined && !extendedKeyUsage.includes(CLIENT_AUTHENTICATION)) {
    return 'it is not for the authentication of clients';
  }
  return validityProblem(certificate, now);
}

function validityProblem({ notBefore, notAfter }: Certificate, now: number): string | undefined {
  if (now < notBefore) return 'it is not valid yet';
  return now > notAfter ? 'it has expired' : undefined;
}

interface Search {
  readonly intermediates: readonly Certificate[];
  readonly authorities: readonly Certificate[];
  readonly now: number;
  signatures: number;
}

/**
 * Searches a path from a certificate to an authority (RFC 5280 §6.1) over the intermediates that came with it. Returns the
 * problem for the log; undefined if there is a path. An unknown critical extension, name constraints included, ends a
 * path: such a chain is refused instead of half checked.
 * @param authorities trusted for this purpose; of their own statements only the validity counts
 */
export function certificatePathProblem(
  certificate: Certificate,
  intermediates: readonly Uint8Array[],
  authorities: readonly Certificate[],
  now: number,
): string | undefined {
  const read = intermediates.slice(0, INTERMEDIATES_MAX).flatMap((der) => readCertificate(der) ?? []);
  const search: Search = { intermediates: read, authorities, now, signatures: 0 };
  return hasPath(search, certificate, []) ? undefined : 'no path from it to a trusted authority';
}

/** @param below the intermediates of the path so far, the nearest to the authority last */
function hasPath(search: Search, certificate: Certificate, below: readonly Certificate[]): boolean {
  if (!isSound(certificate, search.now)) return false;
  const issued = (issuer: Certificate): boolean => hasIssued(search, issuer, certificate, below.length);
  if (search.authorities.some(issued)) return true;
  return search.intermediates.some(
    (issuer) =>
      issuer !== certificate &&
      !below.includes(issuer) &&
      issued(issuer) &&
      hasPath(search, issuer, [...below, issuer]),
  );
}

function isSound(certificate: Certificate, now: number): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  const strong = asymmetricKeyType !== 'rsa' || (asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN;
  return (
    strong &&
    certificate.notUnderstood.length === 0 &&
    SIGNATURE_ALGORITHMS.has(certificate.signatureAlgorithm) &&
    validityProblem(certificate, now) === undefined
  );
}

/** @param intermediatesBelow the number of intermediates between the issuer and the client's certificate */
function hasIssued(
  search: Search,
  issuer: Certificate,
  certificate: Certificate,
  intermediatesBelow: number,
): boolean {
  const mayIssue =
    issuer.x509.ca &&
    (issuer.keyUsage?.has('keyCertSign') ?? true) &&
    intermediatesBelow <= issuer.pathLength &&
    validityProblem(issuer, search.now) === undefined;
  if (!mayIssue || !certificate.x509.checkIssued(issuer.x509)) return false;
  search.signatures += 1;
  return search.signatures <= SIGNATURES_MAX && certificate.x509.verify(issuer.publicKey);
}
