/** Cipher suites of TLS 1.3 (RFC 8446 §B.4), by OpenSSL's names. All are forward secret. */
const TLS_1_3_SUITES = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
] as const;

/**
 * Cipher suites of TLS 1.2 that RFC 9325 §4.2 recommends, and their ChaCha20 relatives (RFC 7905), by OpenSSL's names. Each
 * name has the kind of key that the server's certificate needs.
 */
const TLS_1_2_SUITES = [
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
] as const;

/** All suites that the server offers by default, and all that it accepts as a setting. */
export const TLS_SUITES: readonly string[] = [...TLS_1_3_SUITES, ...TLS_1_2_SUITES];

export const isTls13Suite = (suite: string): boolean => suite.startsWith('TLS_');
