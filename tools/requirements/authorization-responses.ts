import { client, must, type Specification } from './requirement.ts';

export const authorizationResponseRules: Specification = {
  title: 'RFC 9207, JARM, and the response types and modes of OAuth 2.0',
  scope:
    'RFC 9207; JWT Secured Authorization Response Mode; OAuth 2.0 Multiple Response Type Encoding Practices; OAuth 2.0 Form Post Response Mode.',
  requirements: [
    must('rfc9207-2-1', 'RFC 9207 §2', 'iss is in every response, errors too, and is the issuer exactly.'),
    must('rfc9207-3-1', 'RFC 9207 §3', 'Discovery says so.'),
    client('rfc9207-2.4-1', 'RFC 9207 §2.4', 'The client compares iss.'),
    must('jarm-2.1-1', 'JARM §2.1', 'The JWT has iss, aud, exp and the parameters of the response.'),
    must(
      'jarm-2.3-1',
      'JARM §2.3',
      'The response mode is that of the request; jwt stands for the one of the response type.',
    ),
    must(
      'openid-response-types-2.1-1',
      'Multiple Response Types §2.1, §5',
      'Responses with tokens are in the fragment unless asked otherwise, and never in the query.',
    ),
    must(
      'openid-form-post-2-1',
      'Form Post Response Mode §2',
      'The response is posted to the redirection URI, all of it, and the page is not kept.',
    ),
  ],
};
