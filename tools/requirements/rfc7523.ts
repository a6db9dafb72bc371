import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7523: Specification = {
  name: 'RFC 7523',
  title: 'JSON Web Token (JWT) Profile for OAuth 2.0 Client Authentication and Authorization Grants',
  scope:
    'Assertions of clients and JWTs as grants. The page of RFC 7521 has the rules that all assertions share.',
  requirements: [
    must(
      'rfc7523-2.1-1',
      '§2.1',
      'grant_type is urn:ietf:params:oauth:grant-type:jwt-bearer; assertion holds one JWT.',
    ),
    must(
      'rfc7523-3-1',
      '§3 1 to 9, of grants',
      'iss, sub, aud and exp are there and right, nbf and iat where present; the signature is the issuer’s.',
    ),
    decided(
      'rfc7523-3-2',
      '§3 3, of grants',
      'aud identifies the authorisation server; the token endpoint’s address may be used.',
      'decision 18, as for clients; an issuer may have other names for this server (audiences)',
    ),
    must('rfc7523-3.1-1', '§3.1', 'A JWT that is no valid grant is invalid_grant.', 'invalidAssertion'),
    must(
      'rfc7523-2.2-1',
      '§2.2',
      'client_assertion_type is urn:ietf:params:oauth:client-assertion-type:jwt-bearer; client_assertion holds one JWT.',
    ),
    must('rfc7523-3-3', '§3 1, 2', 'iss and sub are there, and both are the client_id.'),
    decided(
      'rfc7523-3-4',
      '§3 3',
      'aud identifies the authorisation server; the token endpoint’s address may be used.',
      'decision 18: the issuer alone, as a string or an array of one (decision 45), unless client-authentication.assertion-audience is legacy',
    ),
    must(
      'rfc7523-3-5',
      '§3 4, 5',
      'exp is there and not past; nbf, where present, is reached; clocks may differ a little.',
    ),
    must('rfc7523-3-6', '§3 7', 'jti is used once for as long as the JWT could be (MAY).'),
    must(
      'rfc7523-3-7',
      '§3 9',
      'The JWT is signed or has a MAC; one whose signature does not hold is refused.',
    ),
    must(
      'rfc7523-3.2-1',
      '§3.2',
      'A client that is not authenticated is invalid_client.',
      'authenticateClient',
    ),
    client('rfc7523-2.2-2', '§2.2', 'The client makes a jti of its own for each assertion.'),
  ],
};
