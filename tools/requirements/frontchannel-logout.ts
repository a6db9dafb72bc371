import { client, decided, must, type Specification } from './requirement.ts';

export const frontchannelLogout: Specification = {
  name: 'OpenID Connect Front-Channel Logout 1.0',
  scope: 'The sentences that bind the provider, with the members of a registration.',
  requirements: [
    must(
      'openid-frontchannel-logout-2-1',
      '§2',
      'frontchannel_logout_uri is an absolute URI without a fragment, with the scheme, host and port of a registered redirection URI.',
      'framedUrl',
      'frontChannelUriHasOriginOfRedirectUri',
    ),
    must(
      'openid-frontchannel-logout-2-2',
      '§2',
      'A registered query is kept when parameters are added.',
      'frontChannelLogout',
      'withQuery',
    ),
    must(
      'openid-frontchannel-logout-2-3',
      '§2',
      'If iss or sid is sent, both are; both are if the client requires them.',
      'frontChannelLogout',
    ),
    must(
      'openid-frontchannel-logout-2-4',
      '§2',
      'The page has the registered address as the source of a frame.',
      'endSessionConfirmation',
    ),
    must(
      'openid-frontchannel-logout-3-1',
      '§3',
      'The OP remembers the clients of a session, and so which addresses to load.',
      'frontChannelLogout',
    ),
    must(
      'openid-frontchannel-logout-3-2',
      '§3',
      'frontchannel_logout_supported and frontchannel_logout_session_supported in the metadata; with the second one ID tokens have sid.',
      'providerMetadata',
    ),
    decided(
      'openid-frontchannel-logout-4.1-1',
      '§4.1',
      'Browsers may keep cookies and storage from the frames.',
      'docs/operate/accounts.md says what browsers allow, and a dry run advises a backchannel_logout_uri besides',
    ),
    must(
      'openid-frontchannel-logout-5-1',
      '§5',
      'Session identifiers cannot be guessed and do not collide.',
      'src/spec/identifiers.ts',
    ),
    client('openid-frontchannel-logout-2-5', '§2', 'The response of the client is not cached.'),
    client(
      'openid-frontchannel-logout-2-6',
      '§2',
      'The client compares iss and sid with those of its ID token.',
    ),
  ],
};
