import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import { named } from '../../spec/schemas.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'device-authorization',
  method: 'POST',
  path: '/device_authorization',
  purpose: 'Begins the authorisation of a device that has no browser.',
  credentials: ['client'],
  parameters: formOf(['scope', 'resource', 'authorization_details', ...AUTHENTICATION_PARAMETERS], {
    repeatable: ['resource'],
  }),
  answers: {
    200: {
      words: 'The code that the device shows, the page where a person enters it, and the code of the device.',
      content: { 'application/json': named('DeviceAuthorization') },
    },
  },
  specifications: ['RFC 8628 §3.1', 'RFC 8628 §3.2'],
  advertisedAs: 'device_authorization_endpoint',
  statuses: [200, 400, 401, 429, 500, 503],
  errors: 'json',
  refusals: [
    'invalid_request',
    'invalid_client',
    'unauthorized_client',
    'invalid_scope',
    'invalid_target',
    'invalid_authorization_details',
  ],
  cors: 'any',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
