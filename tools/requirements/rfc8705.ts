import { client, decided, must, type Specification } from './requirement.ts';

export const rfc8705: Specification = {
  name: 'RFC 8705',
  title: 'OAuth 2.0 Mutual-TLS Client Authentication and Certificate-Bound Access Tokens',
  scope:
    'Every sentence that binds the authorisation server, and the server as the protected resource of its own endpoints.',
  requirements: [
    client(
      'rfc8705-2-1',
      '§2',
      'The client includes client_id in every request that it authenticates with a certificate.',
    ),
    must(
      'rfc8705-2-2',
      '§2',
      'The server identifies the client by client_id and checks that the certificate is that client’s.',
      'authenticateClient',
      'src/clients/client-authentication/mutual-tls.ts',
    ),
    must(
      'rfc8705-2-3',
      '§2',
      'A certificate that does not match, or none, is invalid_client as in RFC 6749 §5.2.',
      'src/clients/client-authentication/mutual-tls.ts',
    ),
    must(
      'rfc8705-2.1-1',
      '§2.1',
      'The certificate chain is validated, and the subject is the registered one.',
      'tlsClientAuth',
      'clientCertificateProblem',
    ),
    must(
      'rfc8705-2.1.2-1',
      '§2.1.2',
      'A client of tls_client_auth registers exactly one subject member.',
      'certificateSubjectsBelongToTheirMethod',
    ),
    must(
      'rfc8705-2.1.2-2',
      '§2.1.2',
      'The subject distinguished name is compared with its RFC 4514 string; an IP address by its octets.',
      'tlsClientAuth',
      'sameName',
    ),
    must(
      'rfc8705-2.1.1-1',
      '§2.1.1, §2.2.1, §3.3',
      'Metadata names the methods, and tls_client_certificate_bound_access_tokens.',
    ),
    must(
      'rfc8705-2.2-1',
      '§2.2',
      'A self-signed certificate needs no chain; it matches what the client registered in jwks or jwks_uri.',
      'selfSignedTlsClientAuth',
    ),
    must(
      'rfc8705-3-1',
      '§3, §3.1',
      'A bound token carries the SHA-256 thumbprint of the certificate as x5t#S256 in cnf.',
      'confirmationBy',
    ),
    must(
      'rfc8705-3-2',
      '§3',
      'The protected resource refuses a bound token without its certificate: 401 invalid_token.',
      'isConfirmed',
    ),
    must('rfc8705-3.2-1', '§3.2', 'Introspection answers cnf.', 'introspection'),
    decided(
      'rfc8705-3.4-1',
      '§3.4',
      'The server decides how it answers a client that wants bound tokens and shows no certificate.',
      '400 invalid_request: an unbound token is what the client asked not to get',
    ),
    must(
      'rfc8705-4-1',
      '§4',
      'A refresh token of a public client whose access tokens are bound is bound to the same certificate (SHOULD).',
    ),
    must('rfc8705-5-1', '§5', 'mtls_endpoint_aliases name the endpoints where certificates are asked for.'),
    must('rfc8705-7.4-1', '§7.4', 'Certificates that are made to look alike are told apart.', 'sameName'),
  ],
};
