import { client, must, type Specification } from './requirement.ts';
import { clientJwts, idTokenHints, idTokens, pairwiseSubjects } from './test-files.ts';

export const idTokenRules: Specification = {
  title: 'OpenID Connect Core 1.0, ID tokens and subjects',
  scope:
    '§2, §8 and the hashes of §3.1.3.6 and §3.3.2.11, with the signature and encryption that a client registers, and §3.1.2.1 as far as id_token_hint goes. The flows that ask for ID tokens have tables of their own when they are there.',
  requirements: [
    must(
      '§2',
      'iss, sub, aud, exp and iat are always there; auth_time, nonce, acr, amr and azp where there is something to say.',
      idTokens('the least: iss, sub, aud', 'everything: auth_time, nonce', 'several audiences'),
    ),
    must(
      '§2',
      'sub is at most 255 ASCII characters.',
      pairwiseSubjects('a pairwise subject is a keyed hash'),
    ),
    must(
      '§2',
      'An ID token is signed, and where it is encrypted too, signed first.',
      clientJwts('an ID token is signed with RS256', 'id_token_encrypted_response_alg: signed'),
    ),
    must(
      '§3.1.3.6, §3.3.2.11',
      'at_hash and c_hash are the left halves of the hash that goes with the algorithm.',
      idTokens('at_hash and c_hash of the specification', '…: the left half'),
    ),
    must(
      '§8',
      'A public subject is the same for all clients; a pairwise one is another for each sector.',
      pairwiseSubjects('a public subject is the end-user', 'another end-user, another sector'),
      clientJwts('subject_type pairwise'),
    ),
    must(
      '§8.1',
      'The sector is the host of sector_identifier_uri, otherwise that of the redirection URIs.',
      pairwiseSubjects('clients of one sector know the end-user'),
    ),
    must(
      '§8.1',
      'A pairwise subject cannot be reversed by anybody else, and does not change.',
      pairwiseSubjects('a pairwise subject is a keyed hash', 'another end-user, another sector'),
    ),
    must(
      '§3.1.2.1',
      'An ID token used as a hint was issued by this server; where it was encrypted, the signed one inside is what counts.',
      idTokenHints(
        'an ID token of ours',
        'encrypted to this server',
        'encrypted, and nothing of ours inside',
      ),
    ),
    must('§16.14', 'Nested: signed, then encrypted.', clientJwts('id_token_encrypted_response_alg: signed')),
    client('§3.1.3.7', 'The client validates the ID token.'),
  ],
};
