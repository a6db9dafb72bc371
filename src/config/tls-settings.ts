import { choice, integer, type Setting, seconds, text } from './setting.ts';

/** A PEM text, the path of a file that holds it, or `none`. */
function pem(description: string, secret = false): Setting<string> {
  return text({
    default: 'none',
    pattern: /^(?:[^\0\r\n]+|-----BEGIN [^\0]+)$/u,
    rule: 'must be a PEM text, the path of a file that holds it, or none',
    description,
    secret,
  });
}

/** TLS on our own listener, which may ask for the certificates of clients (RFC 8705). */
export const LISTEN_TLS_SETTINGS = {
  'listen.tls-certificate': pem(
    'The certificate of the server with its chain, for TLS on `listen.port`. Without it the protocol endpoints speak plain HTTP, for a proxy in front.',
  ),
  'listen.tls-key': pem('The private key of `listen.tls-certificate`.', true),
  'listen.tls-reload-interval': seconds({
    default: 60,
    min: 0,
    max: 86_400,
    description:
      'How often the files of certificates, key and authorities are looked at; new connections get what is in them then. 0 = never.',
  }),
  'listen.tls-client-certificates': choice({
    default: 'off',
    values: ['off', 'optional'],
    description:
      'Whether callers are asked for a certificate on `listen.port`. Browsers may show their users a dialogue then: `listen.mtls-port` asks beside.',
  }),
  'listen.tls-client-ca': pem(
    'The certificates of the authorities that may vouch for clients (`tls_client_auth`). They are trusted for nothing else, and no others are trusted for this.',
  ),
  'listen.mtls-port': integer({
    default: 0,
    min: 0,
    max: 65_535,
    description:
      'A second TCP port with the same endpoints, TLS always, where callers are asked for a certificate; 0 = none. It is announced by `client-authentication.mtls-origin`.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;

/** Certificates of clients that somebody else brings, or elsewhere (RFC 9440, RFC 8705 §5). */
export const CERTIFICATE_SETTINGS = {
  'client-authentication.certificate-header': choice({
    default: 'off',
    values: ['off', 'Client-Cert'],
    description:
      'Whether the certificate of a caller is taken from the header Client-Cert, with Client-Cert-Chain (RFC 9440). Only `listen.trusted-proxies` are believed, which must remove these headers from every request that they pass on; from others they are ignored.',
  }),
  'client-authentication.mtls-origin': text({
    default: 'none',
    pattern: /^(?:https:\/\/[^\s/?#@]+|none)$/u,
    rule: 'must be an https origin such as https://mtls.example.com, without path, or none',
    description:
      'Where callers are asked for their certificates, if not at the issuer: discovery names the endpoints there as mtls_endpoint_aliases (RFC 8705 §5), below the path of the issuer.',
    tenants: 'inherited',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
