import { client, decided, must, type Specification } from './requirement.ts';
import {
  authorization,
  authorizationModules,
  authorizationRequests,
  codes,
  idTokens,
  interaction,
  nextSteps,
  requestObjects,
  signIn,
  userinfo,
} from './test-files.ts';

export const openidConnectCore: Specification = {
  title: 'OpenID Connect Core 1.0, the flows',
  scope:
    '§3, §5, §6, §11 and §12, as far as they bind the OpenID Provider. ID tokens and subjects have a table of their own; client authentication is with RFC 6749, 7523 and 8705.',
  requirements: [
    must(
      '§3.1.2.1',
      'The authorisation endpoint takes GET and POST.',
      authorizationModules('oidcc-ensure-post-request-succeeds'),
      authorization(303)('POST /authorize: 303 to the same as a GET'),
    ),
    must(
      '§3.1.2.1',
      'redirect_uri is needed, and is exactly a registered one.',
      authorizationModules('oidcc-ensure-redirect-uri-in-authorization-request', '…: an error page'),
    ),
    must(
      '§3.1.2.1',
      'prompt none never shows a page, and stands alone; login asks anew; consent asks for consent.',
      nextSteps('…: … (OpenID Connect Core §3.1.2.3, §3.1.2.4)'),
      authorization(303)('GET /authorize, prompt none and nobody there'),
      authorizationModules('oidcc-prompt-login', 'oidcc-prompt-none-logged-in'),
      interaction(200)('a client that the operator registered: nobody is asked'),
    ),
    must(
      '§3.1.2.1',
      'max_age: whoever signed in longer ago signs in anew, and auth_time is in the ID token.',
      authorizationModules('max_age: a sign-in that is too old'),
    ),
    must(
      '§3.1.2.1',
      'id_token_hint: a positive answer is only about the one it is about; it may have expired.',
      authorizationModules('id_token_hint: the person it is about'),
    ),
    must(
      '§3.1.2.1, §5.2',
      'ui_locales are preferences and never an error.',
      interaction(200)('GET /interaction/{id}: the sign-in page'),
    ),
    must(
      '§3.1.2.2',
      'A request is checked whole; one that asks for a subject is only answered about that one.',
      authorizationRequests('…: … for the client'),
      interaction(303)('somebody else signs in than the hint is about'),
    ),
    must(
      '§3.1.2.3',
      'Authentication is protected against forged requests and framing.',
      interaction(400)('a post …: 400', 'a form token of another page'),
      interaction(200)('GET /interaction/{id}: the sign-in page'),
    ),
    must(
      '§3.1.2.4',
      'The end-user agrees before anything is released, or has agreed before.',
      interaction(200)('a client that anybody could have registered'),
      interaction(303)('agreed: remembered for what was agreed to'),
      interaction(400)('a consent page is agreed to by whom it was shown to'),
    ),
    must(
      '§3.1.2.6',
      'Errors have their codes, and go to the client only where client and redirection URI are valid.',
      authorization(303)('GET /authorize, …: 303 to the client with …'),
      authorization(400)('GET /authorize, …: a page for the person'),
    ),
    must(
      '§3.1.3.2',
      'A code is redeemed by its client, once, with the redirection URI of the request.',
      codes('a code of another client', 'a second use is refused', '…: …, and the code is still good'),
    ),
    must(
      '§3.1.3.3',
      'The token response has an ID token, JSON, no-store.',
      codes('a code gives an access token', 'without openid there is no ID token'),
    ),
    client('§3.1.3.7', 'The client validates the ID token.'),
    must(
      '§3.2.2.1, §3.3.2.11',
      'nonce is needed where an ID token comes from the authorisation endpoint, and is in it.',
      authorizationModules('oidcc-ensure-request-without-nonce-fails', 'oidcc-server, the hybrid flow'),
    ),
    must(
      '§3.2.2.5, §3.3.2.5',
      'What comes from the authorisation endpoint is in the fragment.',
      authorizationModules('oidcc-server, the implicit flow', 'oidcc-server, the hybrid flow'),
    ),
    must(
      '§3.3.2.11, §3.3.3.6',
      'at_hash and c_hash bind the ID token; both ID tokens of the hybrid flow have the same iss and sub.',
      authorizationModules('oidcc-server, the hybrid flow'),
      idTokens('at_hash and c_hash of the specification'),
    ),
    must(
      '§5.3',
      'UserInfo takes GET and POST with a bearer token.',
      userinfo(200)('GET /userinfo, …: what the scope asks for', 'oidcc-userinfo-post-header and'),
    ),
    must(
      '§5.3.2',
      'UserInfo has sub, that of the ID token; it is signed and encrypted as the client has registered, with iss and aud.',
      userinfo(200)(
        'a pairwise client is told the subject',
        'oidcc-userinfo-rs256',
        'encrypted, …, where the client has registered that',
      ),
    ),
    must(
      '§5.3.3',
      'Errors of UserInfo are those of RFC 6750.',
      userinfo(401)('GET /userinfo with a token that is unknown', 'GET /userinfo without a token'),
      userinfo(403)('GET /userinfo with a token without openid'),
    ),
    must(
      '§5.4',
      'Scope values ask for their claims, at UserInfo, or in the ID token where there is no access token.',
      userinfo(200)('GET /userinfo, …: what the scope asks for'),
      authorizationModules('oidcc-server, the implicit flow'),
    ),
    must(
      '§5.5',
      'claims asks for single claims, at UserInfo and in the ID token; what is not known is ignored.',
      userinfo(200)('claims that are asked for one by one'),
    ),
    must(
      '§5.5.1.1',
      'An essential acr that cannot be met is not answered as if it were.',
      nextSteps('…: … (OpenID Connect Core §3.1.2.3, §3.1.2.4)'),
    ),
    must(
      '§6.1',
      'Request objects: their values win; iss, aud and signature are checked.',
      authorizationModules('a request object by value, signed with RS256'),
      requestObjects(
        'a request object …: invalid_request_object',
        'what is sent beside it counts for nothing',
      ),
    ),
    decided(
      '§6.2',
      'request_uri, where it is supported.',
      'it is not, and discovery says so; pushed requests are (RFC 9126)',
      authorizationModules('oidcc-request-uri-unsigned-supported'),
    ),
    must(
      '§7.2.1',
      'registration in a request is refused where it is not supported.',
      authorization(303)('GET /authorize, …: 303 to the client with …'),
    ),
    must(
      '§11',
      'offline_access needs consent, and is ignored where no refresh token can come of it.',
      authorizationModules('oidcc-refresh-token-rp-key-rotation'),
      codes('a client that is not registered for refresh_token', 'when the session ends'),
    ),
    must(
      '§12.2',
      'A refreshed ID token is about the same subject, issuer, audience and sign-in.',
      codes('a refreshed ID token is about the same sign-in'),
    ),
    must(
      '§13.3, §15.2',
      'What every provider has to support: prompt, display, ui_locales, claims_locales, auth_time, max_age, acr_values.',
      authorizationModules(
        'oidcc-ensure-request-with-acr-values-succeeds',
        'max_age: a sign-in that is too old',
      ),
      signIn('openid-client: silent, after signing in once'),
    ),
  ],
};
