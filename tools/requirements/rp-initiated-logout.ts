import { client, decided, must, type Specification } from './requirement.ts';

export const rpInitiatedLogout: Specification = {
  name: 'OpenID Connect RP-Initiated Logout 1.0',
  scope:
    'All of it. Other ways to confirm a client than the hint (§3) are not offered: the interface asks for the hint.',
  requirements: [
    must('openid-rp-logout-2-1', '§2', 'GET and POST.', 'src/endpoints/end-session/endpoint.ts'),
    must(
      'openid-rp-logout-2-2',
      '§2',
      'The OP validates that it was the issuer of the ID token, and accepts one that has expired.',
      'readIdTokenHint',
    ),
    must(
      'openid-rp-logout-2-3',
      '§2',
      'client_id with a hint: the OP verifies that it is the client that the ID token was issued to.',
      'readLogoutRequest',
    ),
    must('openid-rp-logout-2-4', '§2', 'state is passed back.', 'logoutLocation'),
    must('openid-rp-logout-2-5', '§2', 'ui_locales is no error.', 'readLogoutRequest', 'lookUpLanguage'),
    must(
      'openid-rp-logout-2-6',
      '§2',
      'The OP asks the end-user whether to log out, in any case without a hint, or with one of another session; a yes logs out.',
      'src/endpoints/end-session/endpoint.ts',
    ),
    must('openid-rp-logout-2.1-1', '§2.1', 'end_session_endpoint in the metadata.', 'authorizationMetadata'),
    must(
      'openid-rp-logout-3-1',
      '§3',
      'No redirection unless the address is, exactly, one that is registered.',
      'readLogoutRequest',
    ),
    must(
      'openid-rp-logout-3-2',
      '§3',
      'No redirection without a hint, unless there is other proof of the client.',
      'readLogoutRequest',
    ),
    must(
      'openid-rp-logout-3-3',
      '§3',
      'The redirection comes after the logout and its notifications.',
      'endSessionConfirmation',
    ),
    decided(
      'openid-rp-logout-3-4',
      '§3',
      'The browser goes back when the end-user has logged out.',
      'it goes back whatever the choice was (decision 33)',
      'endSessionConfirmation',
      'logoutLocation',
    ),
    must(
      'openid-rp-logout-4-1',
      '§4',
      'No redirection on errors; logging out without a session is none.',
      'src/endpoints/end-session/endpoint.ts',
    ),
    must(
      'openid-rp-logout-6-1',
      '§6',
      'A logout that others cause is no denial of service: the end-user is asked.',
      'src/endpoints/end-session/endpoint.ts',
    ),
    client('openid-rp-logout-2-7', '§2', 'The hint is an ID token that the client was issued.'),
  ],
};
