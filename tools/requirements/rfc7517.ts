import { decided, must, type Specification } from './requirement.ts';

export const rfc7517: Specification = {
  title: 'RFC 7517, JSON Web Key, and RFC 7638, JWK Thumbprint',
  scope:
    'As they bind the server’s own keys; what a client’s keys must be is in the tables of registration. With the sections of RFC 7516, RFC 7518 and OpenID Connect Core that say how such keys are used.',
  requirements: [
    must('rfc7517-4-1', '§4', 'Member names within a JWK are unique.'),
    must('rfc7517-4.1-1', '§4.1', 'kty is present.'),
    must(
      'rfc7517-4.2-1',
      '§4.2, §4.3',
      'A key is used for what its use says; use and key_ops are not both given.',
    ),
    must('rfc7517-4.5-1', '§4.5', 'Different keys in a set have different kids (SHOULD).'),
    must('rfc7517-5-1', '§5', 'A JWK set has a member keys, an array.'),
    decided(
      'rfc7517-8.5.1-1',
      '§8.5.1',
      'The media type of a set is application/jwk-set+json.',
      'interface, GET /jwks.json, says application/json, which OpenID clients expect',
    ),
    must('rfc7517-9.2-1', '§9.2', 'Private and symmetric keys are not disclosed.'),
    must(
      'rfc7638-3-1',
      'RFC 7638 §3',
      'A thumbprint hashes the required members alone, in lexicographic order, without white space.',
    ),
    must('rfc7518-3.3-1', 'RFC 7518 §3.3', 'RSA keys have 2048 bits or more.'),
    must('rfc7518-6.2.1.2-1', 'RFC 7518 §6.2.1.2', 'Coordinates have the full size of their curve.'),
    must(
      'rfc7516-11.5-1',
      'RFC 7516 §11.5',
      'Whoever sends a JWE does not learn at which step its decryption failed.',
    ),
    must(
      'rfc7516-4.1.13-1',
      'RFC 7516 §4.1.13',
      'A JWE with critical members that are not understood is refused.',
    ),
    must(
      'openid-core-10.1.1-1',
      'OpenID Connect Core §10.1.1',
      'A new signature key is published before it signs, and the old one stays for a time.',
    ),
    must(
      'openid-core-10.2.1-1',
      'OpenID Connect Core §10.2.1',
      'An old encryption key is published no more, and still decrypts for a time.',
    ),
  ],
};
