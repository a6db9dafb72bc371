import { client, decided, must, type Specification } from './requirement.ts';

export const backchannelLogout: Specification = {
  name: 'OpenID Connect Back-Channel Logout 1.0',
  scope:
    'The sentences that bind the provider. The page of OpenID Connect Dynamic Client Registration 1.0 has the registration members.',
  requirements: [
    must(
      'openid-backchannel-logout-2.1-1',
      '§2.1',
      'backchannel_logout_supported and backchannel_logout_session_supported in the metadata.',
    ),
    must(
      'openid-backchannel-logout-2.3-1',
      '§2.3',
      'The OP remembers the clients of a session, and tells each of them.',
      'logoutDelivery',
    ),
    must(
      'openid-backchannel-logout-2.4-1',
      '§2.4',
      'iss, aud, iat, exp, jti and events; sub, sid or both; no nonce.',
    ),
    must(
      'openid-backchannel-logout-2.4-2',
      '§2.4',
      'Signed or both signed and encrypted with the keys and algorithms of ID tokens, and never alg none.',
    ),
    must(
      'openid-backchannel-logout-2.5-1',
      '§2.5',
      'POST of a form with logout_token.',
      'logoutDelivery',
      'attemptLogout',
    ),
    must(
      'openid-backchannel-logout-2.5-2',
      '§2.5',
      'Sent again only where the error may pass, after a while, and not for ever.',
      'attemptLogout',
    ),
    must(
      'openid-backchannel-logout-2.7-1',
      '§2.7',
      'Refresh tokens without offline_access are revoked; those with it are not.',
      'src/grants/prepare-grant.ts',
    ),
    must('openid-backchannel-logout-2.8-1', '§2.8', '200 is done, 204 too; 400 is a failure.'),
    must('openid-backchannel-logout-4-1', '§4', 'exp is at most two minutes away.'),
    decided(
      'openid-backchannel-logout-2-1',
      '§2',
      'Sessions that expire.',
      'the server notifies no client (ADR 20): clients have lifetimes of their own',
    ),
    client('openid-backchannel-logout-2.6-1', '§2.6', 'The client validates the logout token.'),
  ],
};
