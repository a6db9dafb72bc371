import { decided, must, type Specification } from './requirement.ts';

export const rfc7517: Specification = {
  name: 'RFC 7517',
  title: 'JSON Web Key (JWK)',
  scope:
    'The sentences that bind the server’s own keys. The pages of registration have the rules for the keys of clients.',
  requirements: [
    must('rfc7517-4-1', '§4', 'Member names within a JWK are unique.'),
    must('rfc7517-4.1-1', '§4.1', 'kty is present.'),
    must(
      'rfc7517-4.2-1',
      '§4.2, §4.3',
      'A key is used for what its use says; use and key_ops are not both given.',
    ),
    must('rfc7517-4.5-1', '§4.5', 'Different keys in a set have different kids (SHOULD).'),
    must('rfc7517-5-1', '§5', 'A JWK set has a member keys, an array.', 'src/endpoints/jwk-set/endpoint.ts'),
    decided(
      'rfc7517-8.5.1-1',
      '§8.5.1',
      'The media type of a set is application/jwk-set+json.',
      'interface, GET /jwks.json, says application/json, which OpenID clients expect',
      'src/endpoints/jwk-set/endpoint.ts',
    ),
    must('rfc7517-9.2-1', '§9.2', 'Private and symmetric keys are not disclosed.', 'publishedJwk'),
  ],
};

export const rfc7638: Specification = {
  name: 'RFC 7638',
  title: 'JSON Web Key (JWK) Thumbprint',
  scope: 'The sentences that bind the server’s own keys.',
  requirements: [
    must(
      'rfc7638-3-1',
      '§3',
      'A thumbprint hashes the required members alone, in lexicographic order, without white space.',
      'keyMaker',
    ),
  ],
};

export const rfc7518: Specification = {
  name: 'RFC 7518',
  title: 'JSON Web Algorithms (JWA)',
  scope: 'The sentences that bind the server’s own keys.',
  requirements: [
    must('rfc7518-3.3-1', '§3.3', 'RSA keys have 2048 bits or more.', 'rsaModulusProblem'),
    must('rfc7518-6.2.1.2-1', '§6.2.1.2', 'Coordinates have the full size of their curve.'),
  ],
};

export const rfc7516: Specification = {
  name: 'RFC 7516',
  title: 'JSON Web Encryption (JWE)',
  scope: 'The sentences that bind the server’s own keys.',
  requirements: [
    must(
      'rfc7516-11.5-1',
      '§11.5',
      'The sender of a JWE does not learn at which step its decryption failed.',
    ),
    must('rfc7516-4.1.13-1', '§4.1.13', 'A JWE with critical members that are not understood is refused.'),
  ],
};
