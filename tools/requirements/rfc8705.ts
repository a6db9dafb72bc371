import { client, decided, must, type Specification } from './requirement.ts';
import {
  boundTokens,
  certificateHeader,
  certificates,
  discovery,
  distinguishedNames,
  mutualTls,
  selfSignedClients,
  tlsClients,
  tlsListeners,
} from './test-files.ts';

export const rfc8705: Specification = {
  title: 'RFC 8705, OAuth 2.0 Mutual-TLS Client Authentication and Certificate-Bound Access Tokens',
  scope:
    'Every sentence that binds the authorisation server, and the server as the protected resource of its own endpoints.',
  requirements: [
    client('§2', 'The client includes client_id in every request that it authenticates with a certificate.'),
    must(
      '§2',
      'The server identifies the client by client_id and checks that the certificate is that client’s.',
      tlsClients(
        'the server asks for client_id in the body',
        'tls_client_auth_… …: its certificate authenticates',
      ),
      mutualTls('tls_client_auth: every other certificate, and none, is 401'),
    ),
    must(
      '§2',
      'A certificate that does not match, or none, is invalid_client as in RFC 6749 §5.2.',
      tlsClients('no certificate, one that cannot be read'),
      mutualTls('tls_client_auth: every other certificate, and none, is 401'),
    ),
    must(
      '§2.1',
      'The certificate chain is validated, and the subject is the registered one.',
      certificates(
        'a path to a trusted authority holds',
        'no path: from itself',
        'no path over what is no authority',
      ),
      tlsClients('another authority, one of the same name', 'a certificate with … is not the client’s'),
      mutualTls('tls_client_auth: the right certificate gets a token'),
    ),
    must(
      '§2.1.2',
      'A client of tls_client_auth registers exactly one subject member.',
      selfSignedClients('…, registration with …: 400'),
    ),
    must(
      '§2.1.2',
      'The subject distinguished name is compared with its RFC 4514 string; an IP address by its octets.',
      distinguishedNames('… is the name of its certificate', '…: another name (RFC 8705 §7.4)'),
      tlsClients('tls_client_auth_… …: its certificate authenticates'),
    ),
    must(
      '§2.1.1, §2.2.1, §3.3',
      'Metadata names the methods, and tls_client_certificate_bound_access_tokens.',
      discovery('methods with certificates are named', 'bound tokens are announced'),
      mutualTls('discovery names the methods and the bound tokens'),
    ),
    must(
      '§2.2',
      'A self-signed certificate needs no chain; it matches what the client registered in jwks or jwks_uri.',
      selfSignedClients('a registered key, …: its certificate authenticates', 'the keys of jwks_uri serve'),
      mutualTls('self_signed_tls_client_auth: the registered key gets a token'),
    ),
    must(
      '§3, §3.1',
      'A bound token carries the SHA-256 thumbprint of the certificate as x5t#S256 in cnf.',
      boundTokens('a client that wants bound tokens gets one'),
      mutualTls('a bound token opens introspection over a connection'),
    ),
    must(
      '§3',
      'The protected resource refuses a bound token without its certificate: 401 invalid_token.',
      boundTokens('a bound token opens introspection with its certificate'),
      mutualTls('a bound token opens introspection over a connection'),
    ),
    must(
      '§3.2',
      'Introspection answers cnf.',
      boundTokens('a client that wants bound tokens gets one'),
      tlsListeners('oauth4webapi, …: discovers the aliases'),
    ),
    decided(
      '§3.4',
      'What a client gets that wants bound tokens and shows no certificate is at the server’s discretion.',
      '400 invalid_request: an unbound token is what the client asked not to get',
      boundTokens('such a client gets no token without a certificate'),
    ),
    must(
      '§4',
      'A refresh token of a public client whose access tokens are bound is bound to the same certificate (SHOULD).',
      boundTokens('refresh tokens of a public client with bound tokens'),
    ),
    must(
      '§5',
      'mtls_endpoint_aliases name the endpoints where certificates are asked for.',
      discovery('aliases are those of the endpoints'),
      tlsListeners('the first listener asks nobody', 'oauth4webapi, …: discovers the aliases'),
      certificateHeader('aliases are named below the other origin'),
    ),
    must(
      '§7.4',
      'Certificates that are made to look alike are told apart.',
      distinguishedNames('…: another name (RFC 8705 §7.4)'),
      certificates('a name with a NUL', 'each octet of a certificate changed'),
      tlsClients('a certificate with … is not the client’s'),
    ),
  ],
};
