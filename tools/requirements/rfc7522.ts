import { client, decided, must, type Specification } from './requirement.ts';

export const rfc7522: Specification = {
  name: 'RFC 7522',
  title: 'SAML 2.0 Profile for OAuth 2.0 Client Authentication and Authorization Grants',
  scope:
    'Assertions as grants (§2.1, §3, §3.1). Clients do not authenticate with SAML assertions (§2.2): no client metadata names such a method.',
  requirements: [
    must('rfc7522-2.1-1', '§2.1', 'assertion holds one SAML 2.0 assertion in base64url.'),
    must('rfc7522-3-1', '§3 1', 'Its Issuer identifies who issued it, compared as it stands.'),
    decided(
      'rfc7522-3-2',
      '§3 2',
      'An AudienceRestriction names the server; the token endpoint may be its name.',
      'the issuer, alone, as decision 18 has it for JWTs, unless client-authentication.assertion-audience is legacy',
    ),
    must('rfc7522-3-3', '§3 3', 'It has a Subject, who becomes the subject of the token.'),
    must('rfc7522-3-4', '§3 4', 'Its validity ends, by NotOnOrAfter.'),
    decided(
      'rfc7522-3-5',
      '§3 5',
      'A SubjectConfirmation of the method bearer has data with Recipient and NotOnOrAfter, or there is a NotOnOrAfter in Conditions.',
      'the data must be there, and name this token endpoint',
    ),
    must(
      'rfc7522-3-6',
      '§3 6, 7',
      'One whose time is over or has not come is refused, but for the skew of clocks.',
    ),
    must('rfc7522-3-7', '§3 8', 'It is used once (MAY).'),
    must('rfc7522-3-8', '§3 11', 'It is signed by its issuer; one whose signature does not hold is refused.'),
    must('rfc7522-3.1-1', '§3.1', 'One that does not hold is invalid_grant.', 'invalidAssertion'),
    client(
      'rfc7522-2.1-2',
      '§2.1',
      'The base64url text is not wrapped into lines, and has no padding (SHOULD NOT).',
    ),
  ],
};
