import { client, must, type Specification } from './requirement.ts';

export const idTokenRules: Specification = {
  name: 'OpenID Connect Core 1.0',
  title: 'ID tokens and subjects',
  scope:
    '§2, §8 and the hashes of §3.1.3.6 and §3.3.2.11, the signature and encryption that a client registers, and id_token_hint (§3.1.2.1).',
  requirements: [
    must(
      'openid-core-2-1',
      '§2',
      'iss, sub, aud, exp and iat are always there; auth_time, nonce, acr, amr and azp where there is something to say.',
      'idTokenClaims',
    ),
    must('openid-core-2-2', '§2', 'sub is at most 255 ASCII characters.', 'subjectFor'),
    must(
      'openid-core-2-3',
      '§2',
      'An ID token is signed, and where it is encrypted too, signed first.',
      'makeClientJwt',
    ),
    must(
      'openid-core-3.1.3.6-1',
      '§3.1.3.6, §3.3.2.11',
      'at_hash and c_hash are the left halves of the hash that goes with the algorithm.',
    ),
    must(
      'openid-core-8-1',
      '§8',
      'A public subject is the same for all clients; a pairwise one is another for each sector.',
    ),
    must(
      'openid-core-8.1-2',
      '§8.1',
      'The sector is the host of sector_identifier_uri, otherwise that of the redirection URIs.',
    ),
    must(
      'openid-core-8.1-3',
      '§8.1',
      'A pairwise subject cannot be reversed by anybody else, and does not change.',
    ),
    must(
      'openid-core-3.1.2.1-7',
      '§3.1.2.1',
      'An ID token used as a hint was issued by this server; where it was encrypted, the signed one inside is what counts.',
      'readIdTokenHint',
    ),
    must('openid-core-16.14-1', '§16.14', 'Nested: signed, then encrypted.', 'makeClientJwt'),
    client('openid-core-3.1.3.7-2', '§3.1.3.7', 'The client validates the ID token.'),
  ],
};
