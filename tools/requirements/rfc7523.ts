import { client, decided, must, type Specification } from './requirement.ts';
import {
  assertions,
  hostileAssertions,
  introspectionAssertions,
  keyAssertions,
  secretAssertions,
} from './test-files.ts';

export const rfc7523: Specification = {
  title: 'RFC 7523, JSON Web Token Profile for OAuth 2.0 Client Authentication',
  scope:
    '§2.2 and §3, with §4.2 of RFC 7521 and §9 of OpenID Connect Core that they complete; assertions as grants (§2.1) are not there yet.',
  requirements: [
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
