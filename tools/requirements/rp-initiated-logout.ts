import { client, decided, must, type Specification } from './requirement.ts';
import {
  discovery,
  endSession,
  endSessionAnswer,
  logoutConformance,
  logoutJourney,
  logoutRequests,
} from './test-files.ts';

export const rpInitiatedLogout: Specification = {
  title: 'OpenID Connect RP-Initiated Logout 1.0',
  scope:
    'All of it. Other ways to confirm a client than the hint (§3) are not offered: the interface asks for the hint.',
  requirements: [
    must('§2', 'GET and POST.', endSession(200)('GET /logout with a session', 'POST /logout with a form')),
    must(
      '§2',
      'The OP validates that it was the issuer of the ID token, and accepts one that has expired.',
      logoutRequests('id_token_hint: …', 'a hint that has expired'),
    ),
    must(
      '§2',
      'client_id with a hint: the OP verifies that it is the client that the ID token was issued to.',
      logoutRequests('a client_id that is not the hint'),
    ),
    must(
      '§2',
      'state is passed back.',
      logoutRequests('state … is appended once'),
      logoutConformance('oidcc-rp-initiated-logout: after', 'oidcc-rp-initiated-logout-no-state'),
    ),
    must('§2', 'ui_locales is no error.', endSession(200)('ui_locales chooses')),
    must(
      '§2',
      'The OP asks the end-user whether to log out, in any case without a hint, or with one of another session; a yes logs out.',
      endSessionAnswer(200)('yes: the session', 'no: the session'),
      endSessionAnswer(303)('a hint of somebody else'),
    ),
    must(
      '§2.1',
      'end_session_endpoint in the metadata.',
      logoutConformance('oidcc-rp-initiated-logout-discovery-endpoint-verification'),
      discovery('discovery is derived'),
    ),
    must(
      '§3',
      'No redirection unless the address is, exactly, one that is registered.',
      logoutRequests('post_logout_redirect_uri …', 'an address of another client'),
      logoutConformance('oidcc-rp-initiated-logout-…'),
    ),
    must(
      '§3',
      'No redirection without a hint, unless there is other proof of the client.',
      endSession(200)('an address with …'),
    ),
    must(
      '§3',
      'The redirection comes after the logout and its notifications.',
      endSessionAnswer(303)('the browser goes back when its client was told'),
    ),
    decided(
      '§3',
      'The browser goes back when the end-user has logged out.',
      'it goes back whatever the choice was (decision 33)',
      endSessionAnswer(303)('… with … session'),
    ),
    must(
      '§4',
      'No redirection on errors; logging out without a session is none.',
      endSession(400)('/logout with …'),
      endSessionAnswer(200)('… without a session'),
    ),
    must(
      '§6',
      'A logout that others cause is no denial of service: the end-user is asked.',
      endSessionAnswer(400)('POST /logout/{id} with …'),
      logoutJourney('a session that ends at one server'),
    ),
    client('§2', 'The hint is an ID token that the client was issued.'),
  ],
};
