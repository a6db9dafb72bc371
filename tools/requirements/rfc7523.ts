import { client, decided, must, type Specification } from './requirement.ts';
import {
  assertionGrantAttacks,
  assertionGrants,
  assertions,
  hostileAssertions,
  introspectionAssertions,
  jwtGrants,
  keyAssertions,
  secretAssertions,
} from './test-files.ts';

export const rfc7523: Specification = {
  title: 'RFC 7523, JSON Web Token Profile for OAuth 2.0 Client Authentication',
  scope:
    'With §4.2 of RFC 7521 and §9 of OpenID Connect Core, which complete it for clients; the table of RFC 7521 has what all grants share.',
  requirements: [
    must(
      '§2.1',
      'grant_type is urn:ietf:params:oauth:grant-type:jwt-bearer; assertion holds one JWT.',
      jwtGrants('a JWT of a trusted issuer is a token', 'no assertion: 400'),
      assertionGrants('oauth4webapi, …: registers with'),
    ),
    must(
      '§3 1 to 9, of grants',
      'iss, sub, aud and exp are there and right, nbf and iat where present; the signature is the issuer’s.',
      jwtGrants(
        'grant, …: 200 (RFC 7523 §3)',
        'grant, …: 400 invalid_grant (RFC 7523 §3, §3.1)',
        'grant, …: 400 invalid_grant (RFC 7523 §3; RFC 8725',
        'grant, …: 400 invalid_grant (RFC 7515',
        'HMAC with any form',
      ),
      assertionGrantAttacks('1,000 mutations of a JWT'),
    ),
    decided(
      '§3 3, of grants',
      'aud identifies the authorisation server; the token endpoint’s address may be used.',
      'decision 18, as for clients; an issuer may have other names for this server (audiences)',
      jwtGrants('aud: other names that are configured'),
    ),
    must(
      '§3.1',
      'A JWT that is no valid grant is invalid_grant.',
      jwtGrants('grant, …: 400 invalid_grant (RFC 7523 §3, §3.1)'),
    ),
    must(
      '§2.2',
      'client_assertion_type is urn:ietf:params:oauth:client-assertion-type:jwt-bearer; client_assertion holds one JWT.',
      assertions('…: client_assertion_type missing, wrong or alone'),
      hostileAssertions('H-148 client_assertion_type missing'),
    ),
    must(
      '§3 1, 2',
      'iss and sub are there, and both are the client_id.',
      assertions('…, …: 401 invalid_client (decision 18', '…: an assertion about another client'),
      hostileAssertions('H-150 claims at their edges'),
    ),
    must(
      'RFC 7521 §4.2',
      'client_id in the request is the one of the assertion.',
      assertions('…, client_id beside the assertion'),
    ),
    decided(
      '§3 3',
      'aud identifies the authorisation server; the token endpoint’s address may be used.',
      'decision 18: the issuer alone, as one string, unless client-authentication.assertion-audience is legacy',
      assertions('…, assertion-audience legacy'),
      hostileAssertions('H-150 claims at their edges'),
    ),
    must(
      '§3 4, 5',
      'exp is there and not past; nbf, where present, is reached; clocks may differ a little.',
      assertions('…, …: 200 (decision 18', '…, …: 401 invalid_client (decision 18'),
    ),
    must(
      '§3 7',
      'jti is used once for as long as the JWT could be (MAY).',
      assertions('…: an assertion is used once', '…: of fifty equal ones at once'),
      hostileAssertions('H-150 fifty equal assertions', 'H-150 an assertion that was used before a restart'),
    ),
    must(
      '§3 9',
      'The JWT is signed or has a MAC; one whose signature does not hold is refused.',
      assertions('…, …: 401 invalid_client (H-149; RFC 7515'),
      keyAssertions('HMAC with any form of a public key', 'a key that the assertion brings or names'),
      secretAssertions('another secret, the registration token'),
      hostileAssertions('2,000 mutations of good assertions'),
    ),
    must(
      '§3.2',
      'A client that is not authenticated is invalid_client.',
      assertions('…: every reason has the same bytes'),
      introspectionAssertions('introspection with …: the client is authenticated before'),
    ),
    must(
      'OpenID Connect Core §9',
      'The algorithm is the registered one; client_secret_jwt is keyed with the octets of the secret.',
      secretAssertions('… registered: the secret is long enough', 'a secret of one’s own'),
      keyAssertions('…: accepted where it is registered or none is'),
    ),
    client('§2.2', 'The client makes a jti of its own for each assertion.'),
  ],
};
