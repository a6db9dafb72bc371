import { named } from '../../spec/schemas.ts';
import { type AnswerContract, type Contract, queryOf } from '../contract.ts';

/** A dry run tells all mistakes, and an ordinary registration the first. */
const REFUSED: AnswerContract = {
  words: 'The registration is refused. A dry run lists every mistake.',
  content: { 'application/json': { anyOf: [named('OAuthError'), named('DryRunRefusal')] } },
};

/** The registration endpoint of the interface. */
export const contract = {
  name: 'client-registration',
  method: 'POST',
  path: '/clients',
  purpose: 'Registers a client.',
  credentials: ['master-token', 'initial-access-token', 'none'],
  parameters: queryOf(['dry_run']),
  content: { 'application/json': named('ClientMetadata') },
  answers: {
    200: {
      words: 'The registration, or the result of the dry run.',
      content: { 'application/json': { anyOf: [named('ClientInformation'), named('DryRun')] } },
    },
    400: REFUSED,
  },
  specifications: [
    'RFC 7591 §3',
    'OpenID Connect Dynamic Client Registration 1.0 §3',
    'interface: POST /clients',
  ],
  statuses: [200, 400, 401, 403, 429, 500, 503],
  errors: 'bearer-challenge',
  refusals: [
    'invalid_request',
    'invalid_redirect_uri',
    'invalid_client_metadata',
    'invalid_software_statement',
    'unapproved_software_statement',
    'invalid_token',
    'insufficient_scope',
  ],
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;

/** The same endpoint with the path and the status 201 of the specifications (decision 4). */
export const registerContract = {
  ...contract,
  name: 'client-registration-201',
  path: '/register',
  answers: {
    200: { words: 'The result of the dry run.', content: { 'application/json': named('DryRun') } },
    201: { words: 'The registration.', content: { 'application/json': named('ClientInformation') } },
    400: REFUSED,
  },
  statuses: [200, 201, 400, 401, 403, 429, 500, 503],
} as const satisfies Contract;
