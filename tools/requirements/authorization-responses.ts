import { client, must, type Specification } from './requirement.ts';

export const rfc9207: Specification = {
  name: 'RFC 9207',
  title: 'OAuth 2.0 Authorization Server Issuer Identification',
  scope: 'The sentences that bind the authorisation server.',
  requirements: [
    must('rfc9207-2-1', '§2', 'iss is in every response, errors too, and is the issuer exactly.'),
    must('rfc9207-3-1', '§3', 'Discovery says so.'),
    client('rfc9207-2.4-1', '§2.4', 'The client compares iss.'),
  ],
};

export const jarm: Specification = {
  name: 'JARM',
  title: 'JWT Secured Authorization Response Mode for OAuth 2.0',
  scope: 'The sentences that bind the authorisation server.',
  requirements: [
    must('jarm-2.1-1', '§2.1', 'The JWT has iss, aud, exp and the parameters of the response.'),
    must(
      'jarm-2.3-1',
      '§2.3',
      'The response mode is that of the request; jwt stands for the one of the response type.',
    ),
  ],
};

export const responseTypes: Specification = {
  name: 'OAuth 2.0 Multiple Response Type Encoding Practices',
  scope: 'The sentences that bind the authorisation server.',
  requirements: [
    must(
      'openid-response-types-2.1-1',
      '§2.1, §5',
      'Responses with tokens are in the fragment unless asked otherwise, and never in the query.',
    ),
  ],
};

export const formPost: Specification = {
  name: 'OAuth 2.0 Form Post Response Mode',
  scope: 'The sentences that bind the authorisation server.',
  requirements: [
    must(
      'openid-form-post-2-1',
      '§2',
      'The response is posted to the redirection URI, all of it, and the page is not kept.',
      'authorizationResponse',
      'redirection',
    ),
  ],
};
