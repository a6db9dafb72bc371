import { client, decided, must, type Specification } from './requirement.ts';
import {
  clientRefusals,
  deletion,
  fetching,
  hostileManagement,
  managing,
  read,
  starting,
  update,
} from './test-files.ts';

const NOT_VALID = 'fapi2-security-profile-final-brazildcr-invalid-registration-access-token';
const DELETED = 'fapi2-security-profile-final-brazildcr-client-delete';
const NO_PERMISSION = 'an access token of the client is no registration token';
const UPDATED = 'fapi2-security-profile-final-brazildcr-update-client-config: the whole';

export const rfc7592: Specification = {
  title: 'RFC 7592, OAuth 2.0 Dynamic Client Registration Management Protocol',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    decided(
      '§1, §5',
      'The client configuration endpoint is protected by TLS 1.2 or later.',
      'TLS ends at the proxy in front (docs/operate/tls-and-proxies.md); in production no issuer but an https one starts the server',
      starting('start in production, http issuer'),
    ),
    client('§2', 'The client uses its registration access token, as a bearer token, in all calls.'),
    must(
      '§2',
      'A method that is not supported is answered with the appropriate error code.',
      managing('a method that the client configuration endpoint does not have'),
    ),
    must(
      '§2',
      'The registration token is taken as RFC 6750 says.',
      managing('the registration token is read from the Authorization header alone'),
      clientRefusals('… /clients/{id} without credentials', '… with Authorization'),
    ),
    must(
      '§2.1, §2.2, §2.3',
      'A registration token that is not valid is answered as RFC 6750 says.',
      managing(NOT_VALID),
      clientRefusals('… with the registration token of another client'),
    ),
    decided(
      '§2.1, §2.2, §2.3',
      'A client that does not exist is 401, and the token is revoked.',
      'interface, Errors, rules 1 and 2, and decision 6: 401 for a registration token, 404 without a body for the master token',
      managing('the master token at an identifier that does not exist', DELETED),
      clientRefusals(
        '… with a registration token for an id that does not exist',
        '… /clients/{id} of an unknown id',
      ),
    ),
    must(
      '§2.1, §2.2, §2.3',
      'Who may not read, update or delete the registration gets 403.',
      managing(NO_PERMISSION),
      clientRefusals('… /clients/{id} with an initial access token'),
      update(403)('a client registered by … cannot widen'),
    ),
    must(
      '§2.1',
      'A read is 200 with application/json and the client information response.',
      managing('fapi2-security-profile-final-brazildcr-happy-flow'),
      read(200)('GET /clients/{id} gives the very bytes'),
    ),
    decided(
      '§2.1',
      'A read does not change the registered metadata (SHOULD NOT).',
      'interface and decision 10: a secret that has expired is renewed, once',
      managing('reading changes nothing'),
      read(200)('fifty parallel readers of an expired secret'),
    ),
    must(
      '§2.2',
      'Values replace those that were registered, and do not augment them.',
      managing(UPDATED, 'PUT replaces and does not add'),
      update(200)('PUT replaces the whole registration'),
    ),
    must(
      '§2.2',
      'Members that are left out are as null: deleted, or the default.',
      managing('PUT replaces and does not add'),
      hostileManagement('C-17 an update replaces'),
    ),
    decided(
      '§2.2',
      'client_id is in the request, and is the client’s own.',
      'decision 9: it may be absent; another one is 400',
      managing('PUT with the identifier of another client', 'PUT without client_id'),
      hostileManagement('C-14 client_id in the body of an update'),
    ),
    decided(
      '§2.2',
      'registration_access_token, registration_client_uri, client_secret_expires_at and client_id_issued_at are not in the request.',
      'binds the client; decision 9: they are ignored, because clients send back what they were given',
      managing('the members of the server in an update are ignored'),
      hostileManagement('C-15, C-16'),
    ),
    decided(
      '§2.2',
      'client_secret, if it is in the request, equals the current one.',
      'decision 9: it is ignored, and the answer has a new one',
      hostileManagement('C-15, C-16'),
      update(200)('members of the server are ignored whatever they hold'),
    ),
    must(
      '§2.2',
      'A client does not overwrite its secret with a value of its own choice.',
      managing('no client chooses its secret in an update'),
    ),
    must(
      '§2.2',
      'Values that the server replaced are in the answer, which is the whole client information response.',
      managing(UPDATED),
      update(200)('PUT answers with a new registration token'),
    ),
    must(
      '§2.2',
      'Invalid metadata are answered as RFC 7591 §3.2.2 says.',
      managing(
        'fapi2-security-profile-final-brazildcr-update-client-config-invalid-redirect-uri',
        'fapi2-security-profile-final-brazildcr-update-client-config-bad-jwks-uri',
      ),
      fetching('fapi2-security-profile-final-brazil-dcr-invalid-software-statement-signature'),
      update(400)('PUT … with the … token: 400'),
    ),
    client('§2.2', 'The client discards the old token and secret when the answer has new ones.'),
    must(
      '§2.3',
      'Success is 204.',
      managing(DELETED),
      deletion(204)('DELETE /clients/{id} with the … token'),
    ),
    must(
      '§2.3',
      'Identifier, secret and registration token end together; grants and access tokens too (SHOULD).',
      managing(DELETED, 'DELETE ends the access tokens of the client at once'),
      deletion(204)('DELETE ends the client’s tokens'),
      hostileManagement('C-11, C-24'),
    ),
    must(
      '§3',
      'registration_client_uri, whole, and registration_access_token are in every client information response.',
      managing('registration_client_uri is whole', UPDATED),
    ),
    decided(
      '§3',
      'The same of a shared public client.',
      'with registration.open-idempotent many registrants share one client, so that no one of them may manage it: both members are left out (RFC 7591 §3.2.1 knows no such member)',
      managing('registration.open-idempotent'),
    ),
    must(
      '§3',
      'All registered metadata are returned.',
      managing(UPDATED),
      read(200)('GET /clients/{id} gives the very bytes'),
    ),
    must(
      '§5',
      'A client’s end ends its registration token at the same time; later uses are 401.',
      managing(DELETED),
      clientRefusals('… with the registration token of a deleted client'),
    ),
    must(
      'Appendix B',
      'The server gives the whole address, and expects no client to build it.',
      managing('registration_client_uri is whole'),
      hostileManagement('C-38 registration_client_uri does not come from the request'),
    ),
  ],
};
