import { TLS_SUITES } from '../spec/tls-suites.ts';
import { choice, integer, list, type Setting, seconds, text } from './setting.ts';

/** Declares a PEM text, the path of a file that holds one, or `none`. */
function pem(description: string, secret = false): Setting<string> {
  return text({
    default: 'none',
    pattern: /^(?:[^\0\r\n]+|-----BEGIN [^\0]+)$/u,
    rule: 'must be a PEM text, the path of a file that holds it, or none',
    description,
    secret,
  });
}

/** Settings for TLS on the server's own listeners, which may ask for client certificates (RFC 8705). */
export const LISTEN_TLS_SETTINGS = {
  'listen.tls-certificate': pem(
    'The server’s certificate with its chain, for TLS on `listen.port`. Without it the protocol endpoints speak plain HTTP, for a proxy in front.',
  ),
  'listen.tls-key': pem('The private key of `listen.tls-certificate`.', true),
  'listen.tls-reload-interval': seconds({
    default: 60,
    min: 0,
    max: 86_400,
    description:
      'How often the server checks the files of certificate, key and authorities for changes. New connections use the new content. 0 = never.',
  }),
  'listen.tls-min-version': choice({
    default: 'TLSv1.2',
    values: ['TLSv1.2', 'TLSv1.3'],
    description:
      'The oldest version of TLS that the listeners accept. TLS 1.3 is always offered. Set `TLSv1.3` if no client needs TLS 1.2.',
  }),
  'listen.tls-cipher-suites': list({
    default: TLS_SUITES,
    items: 'cipher suites',
    pattern: new RegExp(`^(?:${TLS_SUITES.join('|')})$`, 'u'),
    rule: `must be a list of forward-secret suites: ${TLS_SUITES.join(', ')}`,
    description:
      'The cipher suites of TLS that the listeners accept, in order of preference. The default follows RFC 9325 §4.2: forward-secret suites with authenticated encryption only. Shorten it if a security profile demands fewer.',
  }),
  'listen.tls-hsts-max-age': seconds({
    default: 31_536_000,
    min: 0,
    max: 63_072_000,
    description:
      'The `max-age` of `Strict-Transport-Security` (RFC 6797) in answers over TLS of the listeners. Browsers then use https alone for every port of this host name for that long. Set 0 if other services of the host name speak plain http. 0 = the header is not sent. Behind a proxy that ends TLS, let the proxy send it.',
  }),
  'listen.tls-handshakes-per-network': integer({
    default: 64,
    min: 0,
    max: 1_000_000,
    unit: 'handshakes',
    description:
      'The maximum number of unfinished TLS handshakes of one network (an IPv4 address or an IPv6 /64), in each process. Beyond it the server ends the oldest one. `listen.trusted-proxies` have no such limit. 0 = no limit. All unfinished handshakes together take at most half of `listen.max-connections`.',
  }),
  'listen.tls-client-certificates': choice({
    default: 'off',
    values: ['off', 'optional'],
    description:
      'Whether the server asks callers on `listen.port` for a certificate. Browsers may then show a dialogue: use `listen.mtls-port` to ask on a separate port.',
  }),
  'listen.tls-client-ca': pem(
    'Certificates of the authorities that may issue client certificates (`tls_client_auth`). The server trusts them for nothing else, and no other authority for this.',
  ),
  'listen.mtls-port': integer({
    default: 0,
    min: 0,
    max: 65_535,
    description:
      'An additional TCP port on which the server asks callers for a certificate. 0 = none. Discovery announces it through `client-authentication.mtls-origin`.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

/** Settings for client certificates that a proxy passes on (RFC 9440) or another origin asks for (RFC 8705 §5). */
export const CERTIFICATE_SETTINGS = {
  'client-authentication.certificate-header': choice({
    default: 'off',
    values: ['off', 'Client-Cert'],
    description:
      'Whether the server takes a caller’s certificate from the header Client-Cert, with Client-Cert-Chain (RFC 9440). It accepts the headers from `listen.trusted-proxies` only. These proxies must remove both headers from every request that they forward.',
  }),
  'client-authentication.mtls-origin': text({
    default: 'none',
    pattern: /^(?:https:\/\/[^\s/?#@]+|none)$/u,
    rule: 'must be an https origin such as https://mtls.example.com, without path, or none',
    description:
      'The origin where the server asks callers for certificates, if it differs from the issuer. Discovery publishes it as mtls_endpoint_aliases (RFC 8705 §5), with the issuer’s path.',
    tenants: 'inherited',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
