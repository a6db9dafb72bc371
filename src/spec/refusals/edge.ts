import { reason } from './reason.ts';

/** Reasons to refuse a request or a connection before any endpoint. */
export const EDGE_REASONS = {
  'malformed-http': reason(
    'The request is not well-formed HTTP, or a security-relevant header stands in it twice.',
    'Look at the client library, and at proxies on the way.',
  ),
  'slow-request': reason(
    'The request did not arrive in time.',
    'Send the request at once.',
    'listen.headers-timeout',
    'listen.request-timeout',
  ),
  'unknown-path': reason('The server has no such address.', 'Take addresses from discovery.', 'issuer'),
  'unknown-tenant': reason(
    'No tenant has this host, path, `Issuer` or `Tenant-ID`.',
    'Check the issuer, and the headers that the proxy sets.',
    'issuer-aliases',
  ),
  'contradicting-tenants': reason(
    '`Issuer` and `Tenant-ID` name different tenants.',
    'Send one of the two headers.',
  ),
  'tenants-busy': reason(
    'Too many closed tenants are being opened.',
    'Retry after the seconds in Retry-After.',
    'limits.tenants-waiting',
  ),
  'unsupported-method': reason(
    'The address does not have this method.',
    'Use a method from the Allow header.',
  ),
  'body-too-large': reason('The body is larger than the server reads.', 'Send less.', 'limits.body'),
  'bodies-full': reason(
    'The bodies that are arriving fill the memory that is set aside for them.',
    'Retry after a second.',
    'limits.bodies',
  ),
  'compressed-body': reason('The body has a Content-Encoding.', 'Send the body uncompressed.'),
  'unknown-expectation': reason('The Expect header asks for something unknown.', 'Leave the header out.'),
  'certificate-header': reason(
    'The header with the client certificate is malformed, or came from a peer that is no trusted proxy.',
    'Correct the proxy.',
    'client-authentication.certificate-header',
    'listen.trusted-proxies',
  ),
  'too-many-connections': reason(
    'A limit of connections or of TLS handshakes is reached. The log has such a line once a minute for each limit.',
    'Reuse connections.',
    'listen.max-connections',
    'listen.connections-per-network',
    'listen.tls-handshakes-per-network',
  ),
} as const;
