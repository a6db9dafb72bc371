import { client, decided, must, type Specification } from './requirement.ts';

export const openidConnectCore: Specification = {
  title: 'OpenID Connect Core 1.0, the flows',
  scope:
    '§3, §5, §6, §11 and §12, as far as they bind the OpenID Provider. ID tokens and subjects have a table of their own; client authentication is with RFC 6749, 7523 and 8705.',
  requirements: [
    must('openid-core-3.1.2.1-1', '§3.1.2.1', 'The authorisation endpoint takes GET and POST.'),
    must('openid-core-3.1.2.1-2', '§3.1.2.1', 'redirect_uri is needed, and is exactly a registered one.'),
    must(
      'openid-core-3.1.2.1-3',
      '§3.1.2.1',
      'prompt none never shows a page, and stands alone; login asks anew; consent asks for consent.',
    ),
    must(
      'openid-core-3.1.2.1-4',
      '§3.1.2.1',
      'max_age: whoever signed in longer ago signs in anew, and auth_time is in the ID token.',
    ),
    must(
      'openid-core-3.1.2.1-5',
      '§3.1.2.1',
      'id_token_hint: a positive answer is only about the one it is about; it may have expired.',
    ),
    must('openid-core-3.1.2.1-6', '§3.1.2.1, §5.2', 'ui_locales are preferences and never an error.'),
    must(
      'openid-core-3.1.2.2-1',
      '§3.1.2.2',
      'A request is checked whole; one that asks for a subject is only answered about that one.',
    ),
    must(
      'openid-core-3.1.2.3-1',
      '§3.1.2.3',
      'Authentication is protected against forged requests and framing.',
    ),
    must(
      'openid-core-3.1.2.4-1',
      '§3.1.2.4',
      'The end-user agrees before anything is released, or has agreed before.',
    ),
    must(
      'openid-core-3.1.2.6-1',
      '§3.1.2.6',
      'Errors have their codes, and go to the client only where client and redirection URI are valid.',
    ),
    must(
      'openid-core-3.1.3.2-1',
      '§3.1.3.2',
      'A code is redeemed by its client, once, with the redirection URI of the request.',
    ),
    must('openid-core-3.1.3.3-1', '§3.1.3.3', 'The token response has an ID token, JSON, no-store.'),
    client('openid-core-3.1.3.7-1', '§3.1.3.7', 'The client validates the ID token.'),
    must(
      'openid-core-3.2.2.1-1',
      '§3.2.2.1, §3.3.2.11',
      'nonce is needed where an ID token comes from the authorisation endpoint, and is in it.',
    ),
    must(
      'openid-core-3.2.2.5-1',
      '§3.2.2.5, §3.3.2.5',
      'What comes from the authorisation endpoint is in the fragment.',
    ),
    must(
      'openid-core-3.3.2.11-1',
      '§3.3.2.11, §3.3.3.6',
      'at_hash and c_hash bind the ID token; both ID tokens of the hybrid flow have the same iss and sub.',
    ),
    must('openid-core-5.3-1', '§5.3', 'UserInfo takes GET and POST with a bearer token.'),
    must(
      'openid-core-5.3.2-1',
      '§5.3.2',
      'UserInfo has sub, that of the ID token; it is signed and encrypted as the client has registered, with iss and aud.',
    ),
    must('openid-core-5.3.3-1', '§5.3.3', 'Errors of UserInfo are those of RFC 6750.'),
    must(
      'openid-core-5.4-1',
      '§5.4',
      'Scope values ask for their claims, at UserInfo, or in the ID token where there is no access token.',
    ),
    must(
      'openid-core-5.5-1',
      '§5.5',
      'claims asks for single claims, at UserInfo and in the ID token; what is not known is ignored.',
    ),
    must(
      'openid-core-5.5.1.1-1',
      '§5.5.1.1',
      'An essential acr that cannot be met is not answered as if it were.',
    ),
    must(
      'openid-core-6.1-1',
      '§6.1',
      'Request objects: their values win; iss, aud and signature are checked.',
    ),
    decided(
      'openid-core-6.2-1',
      '§6.2',
      'request_uri, where it is supported.',
      'it is not, and discovery says so; pushed requests are (RFC 9126)',
    ),
    must('openid-core-7.2.1-1', '§7.2.1', 'registration in a request is refused where it is not supported.'),
    must(
      'openid-core-11-1',
      '§11',
      'offline_access needs consent, and is ignored where no refresh token can come of it.',
    ),
    must(
      'openid-core-12.2-1',
      '§12.2',
      'A refreshed ID token is about the same subject, issuer, audience and sign-in.',
    ),
    must(
      'openid-core-13.3-1',
      '§13.3, §15.2',
      'What every provider has to support: prompt, display, ui_locales, claims_locales, auth_time, max_age, acr_values.',
    ),
  ],
};
