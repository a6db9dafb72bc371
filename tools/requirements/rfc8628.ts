import { client, decided, must, type Specification } from './requirement.ts';

export const rfc8628: Specification = {
  name: 'RFC 8628',
  title: 'OAuth 2.0 Device Authorization Grant',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    must(
      'rfc8628-3.1-1',
      '§3.1',
      'The client authenticates as at the token endpoint; a public client names itself.',
      'src/endpoints/device-authorization/endpoint.ts',
    ),
    must(
      'rfc8628-3.2-1',
      '§3.2',
      'The answer has device_code, user_code, verification_uri and expires_in; here also verification_uri_complete and interval.',
      'beginDeviceAuthorization',
    ),
    must(
      'rfc8628-3.3-1',
      '§3.3, §3.3.1',
      'The person enters the code, or confirms the one that the address has filled in, and then signs in and agrees.',
      'src/endpoints/device-verification/endpoint.ts',
    ),
    must(
      'rfc8628-3.4-1',
      '§3.4',
      'The token endpoint takes device_code from the client that it was issued to.',
      'deviceCode',
    ),
    must('rfc8628-3.5-1', '§3.5', 'authorization_pending while the person has not answered.', 'deviceCode'),
    must('rfc8628-3.5-2', '§3.5', 'access_denied if the person refused.', 'deviceDenied'),
    must('rfc8628-3.5-3', '§3.5', 'expired_token if the code has expired.', 'deviceCode'),
    must(
      'rfc8628-3.5-4',
      '§3.5',
      'slow_down for a device that asks too soon; its interval grows by 5 seconds.',
      'deviceCode',
    ),
    client('rfc8628-3.5-5', '§3.5', 'The client waits longer after a connection that timed out.'),
    must(
      'rfc8628-4-1',
      '§4',
      'Metadata has device_authorization_endpoint.',
      'src/endpoints/discovery/provider-metadata.ts',
    ),
    decided(
      'rfc8628-5.2-1',
      '§5.2',
      'Device codes cannot be guessed.',
      'They have 256 bits. The server stores their digests.',
      'deviceKey',
    ),
    must(
      'rfc8628-6.1-1',
      '§6.1',
      'User codes are short and easy to type, without letters that look alike; case and signs in between do not count.',
      'newUserCode',
      'readUserCode',
    ),
  ],
};
