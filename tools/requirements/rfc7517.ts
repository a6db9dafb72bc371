import { decided, must, type Specification, testsIn } from './requirement.ts';

const keySet = testsIn('src/endpoints/jwk-set/200.test.ts');
const rotation = testsIn('src/endpoints/jwk-set/rotation.test.ts');
const configured = testsIn('src/keys/configured-server-keys.test.ts');
const life = testsIn('src/keys/rotate-server-keys.test.ts');
const serverKeys = testsIn('src/keys/server-keys.test.ts');
const keyMaker = testsIn('src/jose/key-maker.test.ts');
const jwe = testsIn('src/jose/jwe.test.ts');

export const rfc7517: Specification = {
  title: 'RFC 7517, JSON Web Key, and RFC 7638, JWK Thumbprint',
  scope:
    'As they bind the server’s own keys; what a client’s keys must be is in the tables of registration. With the sections of RFC 7516, RFC 7518 and OpenID Connect Core that say how such keys are used.',
  requirements: [
    must('§4', 'Member names within a JWK are unique.', configured('a configured set with …')),
    must('§4.1', 'kty is present.', keySet('the published set holds public members only')),
    must(
      '§4.2, §4.3',
      'A key is used for what its use says; use and key_ops are not both given.',
      serverKeys('keys for verification are public and sign'),
      jwe('encryption uses the public half only'),
    ),
    must(
      '§4.5',
      'Different keys in a set have different kids (SHOULD).',
      keySet('the default set: RSA'),
      configured('a configured set with …'),
      life('many rotations later'),
    ),
    must('§5', 'A JWK set has a member keys, an array.', keySet('GET /jwks.json: 200')),
    decided(
      '§8.5.1',
      'The media type of a set is application/jwk-set+json.',
      'interface, GET /jwks.json, says application/json, which OpenID clients expect',
      keySet('GET /jwks.json: 200'),
    ),
    must(
      '§9.2',
      'Private and symmetric keys are not disclosed.',
      serverKeys('nothing private is published'),
      configured('a configured set replaces the generated one', 'a configured set with …'),
    ),
    must(
      'RFC 7638 §3',
      'A thumbprint hashes the required members alone, in lexicographic order, without white space.',
      keyMaker('a thumbprint is that of the required members'),
    ),
    must(
      'RFC 7518 §3.3',
      'RSA keys have 2048 bits or more.',
      configured('a configured RSA key of 1024 bits'),
    ),
    must(
      'RFC 7518 §6.2.1.2',
      'Coordinates have the full size of their curve.',
      keyMaker('a made … key is one'),
    ),
    must(
      'RFC 7516 §11.5',
      'Whoever sends a JWE does not learn at which step its decryption failed.',
      jwe('a header with …: …'),
    ),
    must(
      'RFC 7516 §4.1.13',
      'A JWE with critical members that are not understood is refused.',
      jwe('a header with …: …'),
    ),
    must(
      'OpenID Connect Core §10.1.1',
      'A new signature key is published before it signs, and the old one stays for a time.',
      life('a new key is published before it signs'),
      rotation('H-157 10,000 reads'),
    ),
    must(
      'OpenID Connect Core §10.2.1',
      'An old encryption key is published no more, and still decrypts for a time.',
      life('an encryption key is replaced at once'),
    ),
  ],
};
