import { type Check, refused, stating } from './client-metadata-checks.ts';
import { parseName } from './distinguished-name.ts';
import { ipAddressOctets } from './ip-address.ts';
import type { Schema } from './json-schema.ts';
import { parseUri } from './uri.ts';

const CERTIFICATE_NAME_LENGTH_MAX = 1024;

/** Accepts a name in the form of a certificate. */
function certificateName(accepts: (value: string) => boolean, rule: string): Check {
  const schema: Schema = { type: 'string', maxLength: CERTIFICATE_NAME_LENGTH_MAX };
  return stating(schema, (value) =>
    typeof value === 'string' && value.length <= CERTIFICATE_NAME_LENGTH_MAX && accepts(value)
      ? { value }
      : refused(rule),
  );
}

/** Refuses a name that can match no certificate at registration, instead of at each attempt to authenticate. */
export const certificateSubject = certificateName(
  (value) => parseName(value) !== undefined,
  'must be a distinguished name such as CN=client,O=Example,C=GB (RFC 4514), types without a known name as dotted numbers',
);

/** Accepts a host without wildcards, because a client is one host. */
export const certificateDnsName = certificateName(
  (value) => value.length <= 253 && /^(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}$/.test(value),
  'must be a DNS name, without wildcard',
);

export const certificateUri = certificateName(
  (value) => /^[\x21-\x7e]+$/.test(value) && parseUri(value) !== undefined,
  'must be an absolute URI',
);

export const certificateIpAddress = certificateName(
  (value) => ipAddressOctets(value) !== undefined,
  'must be an IPv4 address in dotted decimals, or an IPv6 address',
);

export const certificateEmail = certificateName(
  (value) => value.length <= 254 && /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9.-]+$/.test(value),
  'must be an email address',
);
