import { client, must, type Specification } from './requirement.ts';

export const rfc9101: Specification = {
  name: 'RFC 9101',
  title: 'JWT-Secured Authorization Request (JAR)',
  scope: 'Request objects by value, and by reference: pushed (RFC 9126), or at a registered address.',
  requirements: [
    client(
      'rfc9101-4-1',
      '§4',
      'The client signs, or signs and encrypts, and leaves request and request_uri out of the object.',
    ),
    must('rfc9101-4-2', '§4', 'Numbers and objects stand in it as JSON.'),
    must(
      'rfc9101-5-1',
      '§5, §6.3',
      'client_id in and beside the object is the same; only what is in the object counts.',
    ),
    must(
      'rfc9101-6.1-1',
      '§6.1',
      'An encrypted object is decrypted with a key of the server, and is signed within.',
      'openRequestObject',
    ),
    must(
      'rfc9101-6.2-1',
      '§6.2',
      'The signature is checked with a key of the client, and fails as invalid_request_object.',
      'openRequestObject',
    ),
    must(
      'rfc9101-5.2-1',
      '§5.2, §5.2.3',
      'The object at the request_uri of the client is fetched, verified, and is the request.',
      'referencedObjects',
    ),
    must(
      'rfc9101-10.4.1-1',
      '§10.4',
      'A request_uri leads to no address that the client has not registered, and to none of the inside.',
      'referencedObjects',
    ),
    must(
      'rfc9101-10.5-1',
      '§10.5',
      'A client that registered require_signed_request_object is held to it.',
      'CLIENT_METADATA',
      'receiveAuthorizationRequest',
    ),
    must('rfc9101-10.8-1', '§10.8', 'typ oauth-authz-req+jwt is taken, as is none.'),
  ],
};
