import { client, decided, must, type Specification } from './requirement.ts';

export const caep: Specification = {
  name: 'OpenID CAEP 1.0',
  scope:
    'The events that this server has: session-revoked, token-claims-change and credential-change. The others concern devices, assurance and risk, which it does not know.',
  requirements: [
    must(
      'caep-2-1',
      '§2',
      'initiating_entity is admin, user, policy or system; reason_admin has texts by language.',
      'securityEventToken',
    ),
    must(
      'caep-3.1-1',
      '§3.1',
      'event_timestamp is the time when the session was revoked.',
      'securityEventToken',
    ),
    must('caep-3.2-1', '§3.2', 'claims has the new values; null for a claim that is gone.', 'accountSignals'),
    must('caep-3.2-2', '§3.2', 'A receiver learns only claims that its grants release.', 'grantedClaims'),
    must('caep-3.3-1', '§3.3', 'credential_type and change_type are there.', 'accountSignals'),
  ],
};

export const caepInteroperability: Specification = {
  name: 'OpenID CAEP Interoperability Profile 1.0',
  scope: 'The sentences for transmitters.',
  requirements: [
    must(
      'caep-interop-2.3-1',
      '§2.3',
      'The metadata has spec_version, both delivery methods, jwks_uri, and the endpoints for configuration, status and verification.',
      'signalsConfiguration',
    ),
    must('caep-interop-2.6-1', '§2.6', 'Events are signed with RS256.', 'securityEventToken'),
    must(
      'caep-interop-2.7.3-1',
      '§2.7.3',
      'The access token stands in the header and nowhere else; errors are those of RFC 6750.',
      'receiverOf',
    ),
    must(
      'caep-interop-3.2-1',
      '§3.2',
      'reason_admin of a credential change is not empty.',
      'securityEventToken',
    ),
  ],
};

export const globalTokenRevocation: Specification = {
  name: 'draft-parecki-oauth-global-token-revocation-06',
  title: 'Global Token Revocation',
  scope: 'The sentences that bind the authorisation server.',
  requirements: [
    must(
      'global-token-revocation-2-1',
      '§2',
      'The request has a sub_id, a subject identifier.',
      'subjectNamed',
    ),
    must(
      'global-token-revocation-3-1',
      '§3',
      'All refresh tokens of the person are revoked.',
      'revokeEverything',
    ),
    must(
      'global-token-revocation-3-2',
      '§3',
      'All access tokens of the person are revoked.',
      'revokeEverything',
    ),
    must(
      'global-token-revocation-3-3',
      '§3',
      'The person signs in again before there are new tokens.',
      'revokeEverything',
    ),
    must('global-token-revocation-3-4', '§3', '404 for a person that is not known.', 'globalTokenRevocation'),
  ],
};

export const rfc8417: Specification = {
  name: 'RFC 8417',
  title: 'Security Event Token (SET)',
  scope:
    'The sentences that bind the issuer, as far as the OpenID Shared Signals Framework 1.0 leaves a choice.',
  requirements: [
    must(
      'rfc8417-2.2-1',
      '§2.2',
      'iss, iat, jti and events are there; events has one event.',
      'securityEventToken',
    ),
    must('rfc8417-2.3-1', '§2.3', 'typ is secevent+jwt.', 'securityEventToken'),
  ],
};

export const rfc8935: Specification = {
  name: 'RFC 8935',
  title: 'Push-Based Security Event Token (SET) Delivery Using HTTP',
  scope: 'Every sentence that binds the transmitter.',
  requirements: [
    must(
      'rfc8935-2.1-1',
      '§2.1',
      'A push is a POST with one token as application/secevent+jwt, and accepts JSON.',
      'signalDelivery',
    ),
    must(
      'rfc8935-2.2-1',
      '§2.2',
      'A 2xx answer is an acknowledgement: the event is not sent again.',
      'signalDelivery',
    ),
    decided(
      'rfc8935-2.3-1',
      '§2.3',
      'An error answer has err and description.',
      'The server reads the status only. A refusal with 400 is tried four times, because the receiver may have an old key set.',
      'signalDelivery',
    ),
    must(
      'rfc8935-2.4-1',
      '§2.4',
      'A token is retained until it is acknowledged, and may be sent again with delays.',
      'signalDelivery',
    ),
    must(
      'rfc8935-5.1-1',
      '§5.1',
      'Pushes go by TLS to addresses outside, with a checked certificate.',
      'src/outbound/outbound-http.ts',
    ),
    client('rfc8935-2-1', '§2', 'The receiver answers quickly, and stores first.'),
  ],
};

export const rfc8936: Specification = {
  name: 'RFC 8936',
  title: 'Poll-Based Security Event Token (SET) Delivery Using HTTP',
  scope: 'Every sentence that binds the transmitter.',
  requirements: [
    must('rfc8936-2.2-1', '§2.2', 'maxEvents bounds an answer.', 'polled'),
    must('rfc8936-2.2-2', '§2.2', 'maxEvents 0 acknowledges only.', 'polled'),
    must(
      'rfc8936-2.2-3',
      '§2.2',
      'Unless returnImmediately is true, an empty answer may wait.',
      'eventStreamPoll',
    ),
    must(
      'rfc8936-2.3-1',
      '§2.3',
      'sets has tokens by jti; moreAvailable says whether there are more.',
      'polled',
    ),
    must(
      'rfc8936-2.4-1',
      '§2.4',
      'A token that is acknowledged is not sent again; any other one is.',
      'acknowledge',
    ),
    must('rfc8936-2.4-2', '§2.4', 'setErrs says which tokens the receiver refuses.', 'acknowledge'),
  ],
};
