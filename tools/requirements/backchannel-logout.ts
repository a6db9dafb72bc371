import { client, decided, must, type Specification } from './requirement.ts';
import { logoutConformance, logoutDelivery, logoutJourney, outboundForms } from './test-files.ts';

export const backchannelLogout: Specification = {
  title: 'OpenID Connect Back-Channel Logout 1.0',
  scope: 'What binds the provider. Rows of the registration members are in the table of registration.',
  requirements: [
    must(
      '§2.1',
      'backchannel_logout_supported and backchannel_logout_session_supported in the metadata.',
      logoutConformance('oidcc-backchannel-logout-discovery-endpoint-verification'),
    ),
    must(
      '§2.3',
      'The OP remembers the clients of a session, and tells each of them.',
      logoutJourney('every relying party of the session is told'),
    ),
    must(
      '§2.4',
      'iss, aud, iat, exp, jti and events; sub, sid or both; no nonce.',
      logoutDelivery('the client gets a logout token'),
      logoutConformance('oidcc-backchannel-rp-initiated-logout'),
    ),
    must(
      '§2.4',
      'Signed or both signed and encrypted with the keys and algorithms of ID tokens, and never alg none.',
      logoutDelivery('the client gets a logout token', 'a logout token is encrypted'),
    ),
    must('§2.5', 'POST of a form with logout_token.', outboundForms('a form arrives as it is meant')),
    must(
      '§2.5',
      'Sent again only where the error may pass, after a while, and not for ever.',
      logoutDelivery('…: …; only errors that may pass', 'a client is told again after'),
    ),
    must(
      '§2.7',
      'Refresh tokens without offline_access are revoked; those with it are not.',
      logoutJourney('refresh tokens end with the session'),
    ),
    must(
      '§2.8',
      '200 is done, 204 too; 400 is a failure.',
      logoutDelivery('…: …; only errors that may pass'),
    ),
    must('§4', 'exp is at most two minutes away.', logoutDelivery('the client gets a logout token')),
    decided(
      '§2',
      'Sessions that expire.',
      'nobody is told (ADR 20): clients have lifetimes of their own',
      logoutJourney('an account that is disabled by command'),
    ),
    client('§2.6', 'The client validates the logout token.'),
  ],
};
