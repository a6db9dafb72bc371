import { client, decided, must, type Specification } from './requirement.ts';
import { assertionGrantAttacks, assertionGrants, jwtGrants, samlGrants } from './test-files.ts';

export const rfc7521: Specification = {
  title: 'RFC 7521, Assertion Framework for OAuth 2.0 Client Authentication and Authorization Grants',
  scope: 'Assertions as grants (§4.1) and §5, §8; assertions of clients (§4.2) are in the table of RFC 7523.',
  requirements: [
    must(
      '§4.1',
      'grant_type is the absolute URI of the profile, and assertion is there.',
      jwtGrants('no assertion: 400', 'the grant is offered where'),
      samlGrants('missing assertion: 400'),
    ),
    must(
      '§4.1',
      'The scope is at most what was authorised, and the answer names it.',
      jwtGrants('scope: what is requested'),
      assertionGrants('oauth4webapi, …: registers with'),
    ),
    must(
      '§4.1',
      'The client is authenticated where it has credentials, and may present a grant.',
      jwtGrants(
        'a client that is not registered for the grant',
        'an issuer may be trusted with some clients',
      ),
    ),
    must(
      '§4.1',
      'No refresh token is issued for an assertion (SHOULD NOT).',
      jwtGrants('a JWT of a trusted issuer is a token'),
      samlGrants('a SAML assertion of a trusted issuer is a token'),
    ),
    must(
      '§4.1.1',
      'An assertion that does not hold is invalid_grant, and the reason may be said.',
      jwtGrants('grant, …: 400 invalid_grant (RFC 7523 §3, §3.1)'),
      samlGrants('assertion with …: 400 invalid_grant'),
    ),
    must(
      '§5.1, §5.2',
      'It has an issuer, a subject, an audience and an end, and its issuer is one that is trusted.',
      jwtGrants('grant, …: 400 invalid_grant (RFC 7523 §3, §3.1)'),
      samlGrants('assertion with …: 400 invalid_grant'),
    ),
    must(
      '§5.2',
      'The same assertion is not taken again (MAY), by its identifier.',
      jwtGrants('an assertion is used once', 'of fifty equal assertions at once'),
      samlGrants('an assertion is used once', 'of fifty equal assertions at once'),
      assertionGrantAttacks('fifty equal assertions at once', 'an assertion that was used before a kill'),
    ),
    must(
      '§8.1',
      'Nobody passes for somebody else: an issuer’s keys are good for its own assertions, and its subjects for its own names.',
      jwtGrants('an issuer cannot speak for another', 'a subject that is the client_id of a client here'),
      samlGrants('an issuer cannot speak for another'),
    ),
    decided(
      '§8.2',
      'An assertion is of use to nobody who did not get it from its issuer.',
      'transport and a single use: the assertions are bearer assertions',
      jwtGrants('what is refused does not use an assertion up'),
    ),
    client('§4.1', 'The client sends an assertion that is meant for this server.'),
  ],
};
