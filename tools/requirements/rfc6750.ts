import { client, decided, must, type Specification } from './requirement.ts';
import { clientRefusals, introspection, managing, registering, registration, tokens } from './test-files.ts';

export const rfc6750: Specification = {
  title: 'RFC 6750, The OAuth 2.0 Authorization Framework: Bearer Token Usage',
  scope: 'As it binds the registry and introspection, which take bearer tokens.',
  requirements: [
    must(
      '§2.1',
      'The Authorization header is supported.',
      tokens('the Bearer scheme is compared without regard to case'),
      registration(401)('Authorization: …: 401 invalid_token'),
    ),
    must(
      '§2.2, §2.3',
      'The body and query forms need not be supported.',
      managing('the registration token is read from the Authorization header alone'),
    ),
    client('§2', 'A client uses one of the forms in a request.'),
    must(
      '§3',
      'Without credentials, or with a token that does not enable access, the answer has WWW-Authenticate with the scheme Bearer.',
      tokens('a bearer token that does not enable introspection', 'a bearer token that is not valid'),
      clientRefusals(
        '… /clients/{id} without credentials',
        '… with Authorization: …',
        '… /clients/{id} with an initial access token',
      ),
    ),
    decided(
      '§3',
      'The scheme is followed by one or more auth-params.',
      'interface, Errors, and decision 6: the bare word Bearer to whoever sent no credentials',
      registration(401)('managed mode, no credentials'),
    ),
    must(
      '§3',
      'No error code where the request has no credentials (SHOULD NOT).',
      registration(401)('managed mode, no credentials'),
    ),
    decided(
      '§3',
      'Introspection without any credentials has a challenge too.',
      'decisions 6 and 19: 401 invalid_client without a challenge, since authentication of a client is what is recommended there',
      introspection(401)('no credentials: 401 invalid_client'),
    ),
    must(
      '§3',
      'realm, scope, error and error_description come once each, in the characters that are allowed.',
      tokens('a bearer token that does not enable introspection'),
      registration(403)('403 names every missing scope value'),
    ),
    must(
      '§3.1',
      'invalid_token is 401.',
      registering('an initial access token that is not valid'),
      registration(401)('an expired initial access token'),
    ),
    must(
      '§3.1',
      'insufficient_scope is 403, and may name the scope.',
      registration(403)('403 names every missing scope value'),
    ),
    must(
      '§5.2',
      'A token is for its audience and lives for a limited time.',
      introspection(200)('the same token gets the same bytes until it expires'),
      registration(401)('a registration access token registers nothing'),
    ),
  ],
};
