import { X509Certificate } from 'node:crypto';
import { type Certificate, readCertificate } from './certificate.ts';

const BLOCK = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * The certificates of authorities in a PEM text (RFC 7468 §5), what stands between them left out.
 * @returns undefined where there is none, or one that cannot be read or is no authority's
 */
export function readCertificateAuthorities(pem: string): readonly Certificate[] | undefined {
  const blocks = pem.match(BLOCK) ?? [];
  const authorities = blocks.flatMap((block) => {
    const certificate = certificateInPem(block);
    return certificate?.x509.ca === true ? [certificate] : [];
  });
  return blocks.length > 0 && authorities.length === blocks.length ? authorities : undefined;
}

function certificateInPem(block: string): Certificate | undefined {
  try {
    return readCertificate(new X509Certificate(block).raw);
  } catch {
    return undefined;
  }
}
