import { type KeyObject, X509Certificate } from 'node:crypto';

const RSA_BITS_MIN = 2048;
const CURVES = new Set<unknown>(['prime256v1', 'secp384r1', 'secp521r1']);

/**
 * The public key in a certificate in PEM. Only the key is taken: issuers of assertions sign their certificates
 * themselves, and let them expire. Who is trusted, and until when, the configuration says.
 */
export function certificateKey(pem: string): { readonly key: KeyObject } | { readonly problem: string } {
  const key = publicKeyOf(pem);
  if (key === undefined) return { problem: 'is not a certificate that can be read' };
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') {
    const isWeak = (details?.modulusLength ?? 0) < RSA_BITS_MIN || details?.publicExponent !== 65_537n;
    return isWeak
      ? { problem: `has an RSA key of fewer than ${RSA_BITS_MIN} bits or with an exponent other than 65537` }
      : { key };
  }
  const isKnown = type === 'ec' && CURVES.has(details?.namedCurve);
  return isKnown ? { key } : { problem: 'has a key that is neither RSA nor of P-256, P-384 or P-521' };
}

function publicKeyOf(pem: string): KeyObject | undefined {
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    return undefined;
  }
}
