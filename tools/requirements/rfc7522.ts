import { client, decided, must, type Specification } from './requirement.ts';
import { assertionGrantAttacks, assertionGrants, samlGrants, samlVerifier } from './test-files.ts';

export const rfc7522: Specification = {
  title: 'RFC 7522, SAML 2.0 Profile for OAuth 2.0 Client Authentication and Authorization Grants',
  scope:
    'Assertions as grants (§2.1, §3, §3.1). Clients do not authenticate with SAML assertions (§2.2): no client metadata names such a method.',
  requirements: [
    must(
      '§2.1',
      'assertion holds one SAML 2.0 assertion in base64url.',
      samlVerifier('not canonical base64url of UTF-8', 'what is there twice'),
      assertionGrants('oauth4webapi, …: registers with'),
    ),
    must(
      '§3 1',
      'Its Issuer identifies who issued it, compared as it stands.',
      samlGrants('assertion with …: 400 invalid_grant', 'an issuer cannot speak for another'),
    ),
    decided(
      '§3 2',
      'An AudienceRestriction names the server; the token endpoint may be its name.',
      'the issuer, alone, as decision 18 has it for JWTs, unless client-authentication.assertion-audience is legacy',
      samlGrants('assertion with …: 400 invalid_grant', 'legacy: the token endpoint is an audience too'),
    ),
    must(
      '§3 3',
      'It has a Subject, who becomes the subject of the token.',
      samlGrants(
        'a SAML assertion of a trusted issuer is a token',
        'subject-from: an attribute names the subject',
      ),
    ),
    must('§3 4', 'Its validity ends, by NotOnOrAfter.', samlGrants('assertion with …: 400 invalid_grant')),
    decided(
      '§3 5',
      'A SubjectConfirmation of the method bearer has data with Recipient and NotOnOrAfter, or there is a NotOnOrAfter in Conditions.',
      'the data must be there, and name this token endpoint',
      samlGrants('assertion with …: 400 invalid_grant', 'assertion with …: 200'),
    ),
    must(
      '§3 6, 7',
      'One whose time is over or has not come is refused, but for the skew of clocks.',
      samlGrants('assertion with …: 400 invalid_grant', 'assertion with …: 200'),
    ),
    must(
      '§3 8',
      'It is used once (MAY).',
      samlGrants('an assertion is used once', 'of fifty equal assertions at once'),
      assertionGrantAttacks('fifty equal assertions at once', 'an assertion that was used before a kill'),
    ),
    must(
      '§3 11',
      'It is signed by its issuer; one whose signature does not hold is refused.',
      samlVerifier(
        '…: its signature holds with its key',
        'a signature with …: refused',
        'no signature, one elsewhere than in the root',
        'signature wrapping, XSW1 to XSW8',
        'HMAC with the issuer',
      ),
      assertionGrantAttacks('1,000 mutations of a SAML assertion', 'signature wrapping in every place'),
    ),
    must(
      '§3.1',
      'One that does not hold is invalid_grant.',
      samlGrants('assertion with …: 400 invalid_grant', 'whatever is not plain XML'),
    ),
    client('§2.1', 'The base64url text is not wrapped into lines, and has no padding (SHOULD NOT).'),
  ],
};
