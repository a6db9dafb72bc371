import { client, must, type Specification } from './requirement.ts';
import {
  authorization,
  authorizationRequests,
  authorizationResponses,
  discovery,
  signIn,
} from './test-files.ts';

export const authorizationResponseRules: Specification = {
  title: 'RFC 9207, JARM, and the response types and modes of OAuth 2.0',
  scope:
    'RFC 9207; JWT Secured Authorization Response Mode; OAuth 2.0 Multiple Response Type Encoding Practices; OAuth 2.0 Form Post Response Mode.',
  requirements: [
    must(
      'RFC 9207 §2',
      'iss is in every response, errors too, and is the issuer exactly.',
      authorization(303)(
        'GET /authorize, signed in and agreed',
        'GET /authorize, …: 303 to the client with …',
      ),
      authorizationResponses('… to …: encoded'),
    ),
    must('RFC 9207 §3', 'Discovery says so.', discovery('what the authorisation endpoint can do is named')),
    client('RFC 9207 §2.4', 'The client compares iss.'),
    must(
      'JARM §2.1',
      'The JWT has iss, aud, exp and the parameters of the response.',
      authorizationResponses('…: all of it is in one JWT for the client'),
      signIn('openid-client: JWT responses (JARM)'),
    ),
    must(
      'JARM §2.3',
      'The response mode is that of the request; jwt stands for the one of the response type.',
      authorizationRequests('… by …: … (OAuth 2.0 Multiple Response Types §2.1'),
    ),
    must(
      'Multiple Response Types §2.1, §5',
      'Responses with tokens are in the fragment unless asked otherwise, and never in the query.',
      authorizationRequests('… by …: … (OAuth 2.0 Multiple Response Types §2.1', 'tokens are not carried by'),
    ),
    must(
      'Form Post Response Mode §2',
      'The response is posted to the redirection URI, all of it, and the page is not kept.',
      authorization(200)(
        'GET /authorize, response_mode form_post: a page',
        'GET /authorize, response_mode form_post: errors',
      ),
      signIn('openid-client: form_post'),
    ),
  ],
};
