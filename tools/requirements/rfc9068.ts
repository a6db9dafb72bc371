import { decided, must, type Specification } from './requirement.ts';
import { directGrants, selfContainedTokens, tokenJourneys } from './test-files.ts';

export const rfc9068: Specification = {
  title: 'RFC 9068, JSON Web Token (JWT) Profile for OAuth 2.0 Access Tokens',
  scope:
    'What binds the authorisation server; §4 binds resource servers, of which this server is one where its own tokens come back to it.',
  requirements: [
    must(
      '§2.1',
      'The token is signed, never with none, and typ is at+jwt.',
      selfContainedTokens('a self-contained token has the type at+jwt'),
    ),
    must('§2.1', 'RS256 is supported.', tokenJourneys('oauth4webapi, …: client credentials for a resource')),
    must(
      '§2.2',
      'iss, exp, aud, sub, client_id, iat and jti are there.',
      selfContainedTokens('a self-contained token has the type at+jwt'),
      directGrants('access_token.encoding SELF_CONTAINED'),
    ),
    must(
      '§2.2.3, §3',
      'scope is there, and its values are meant for the audience.',
      selfContainedTokens('a self-contained token has the type at+jwt'),
    ),
    must(
      '§3',
      'aud is the resource that was asked for, and otherwise a default.',
      selfContainedTokens('several audiences are an array'),
      directGrants('resources are the audience'),
    ),
    must(
      '§4',
      'typ, issuer and signature are checked; what does not hold is no access token.',
      selfContainedTokens(
        'whatever differs from a JWT in one character',
        'a JWT of the server itself with …',
        'a live self-contained token is found until',
      ),
    ),
    decided(
      '§4',
      'The resource server looks for itself in aud.',
      'this server is not the resource but answers about tokens (RFC 7662); introspection.audience says whom it tells',
      selfContainedTokens('several audiences are an array'),
    ),
    must(
      '§5',
      'An ID token, or another JWT of the same key, is not taken for an access token.',
      selfContainedTokens('a JWT of the server itself with …'),
    ),
  ],
};
