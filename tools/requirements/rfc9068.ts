import { decided, must, type Specification } from './requirement.ts';

export const rfc9068: Specification = {
  name: 'RFC 9068',
  title: 'JSON Web Token (JWT) Profile for OAuth 2.0 Access Tokens',
  scope:
    'The sentences that bind the authorisation server. §4 binds resource servers; this server is one where its own tokens come back to it.',
  requirements: [
    must('rfc9068-2.1-1', '§2.1', 'The token is signed, never with none, and typ is at+jwt.'),
    must('rfc9068-2.1-2', '§2.1', 'RS256 is supported.'),
    must('rfc9068-2.2-1', '§2.2', 'iss, exp, aud, sub, client_id, iat and jti are there.'),
    must(
      'rfc9068-2.2.3-1',
      '§2.2.3, §3',
      'scope is there, and its values are meant for the audience.',
      'signAccessToken',
    ),
    must(
      'rfc9068-2.2.1-1',
      '§2.2.1',
      'auth_time, acr and amr are those of the authorisation, also after a refresh.',
      'authenticationOf',
    ),
    must(
      'rfc9068-3-1',
      '§3',
      'aud is the resource that was asked for, and otherwise a default.',
      'audienceFor',
    ),
    must(
      'rfc9068-4-1',
      '§4',
      'typ, issuer and signature are checked; what does not hold is no access token.',
      'keyOfSelfContained',
    ),
    decided(
      'rfc9068-4-2',
      '§4',
      'The resource server looks for itself in aud.',
      'this server is not the resource but answers about tokens (RFC 7662); introspection.audience says which callers get an answer',
      'isMeantFor',
    ),
    must(
      'rfc9068-5-1',
      '§5',
      'An ID token, or another JWT of the same key, is not taken for an access token.',
      'keyOfSelfContained',
    ),
  ],
};
