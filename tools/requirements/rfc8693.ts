import { client, decided, must, type Specification } from './requirement.ts';

export const rfc8693: Specification = {
  name: 'RFC 8693',
  title: 'OAuth 2.0 Token Exchange',
  scope: 'Every sentence that binds the authorisation server.',
  requirements: [
    must(
      'rfc8693-2.1-1',
      '§2.1',
      'grant_type is urn:ietf:params:oauth:grant-type:token-exchange.',
      'src/grants/token-exchange/token-exchange.ts',
    ),
    must(
      'rfc8693-2.1-2',
      '§2.1',
      'resource and audience name where the token will be used; both may come several times.',
      'exchangedAudience',
    ),
    must(
      'rfc8693-2.1-3',
      '§2.1',
      'scope names the wanted scope of the token; here it never goes beyond the subject token.',
      'exchangedScope',
    ),
    must(
      'rfc8693-2.1-4',
      '§2.1',
      'requested_token_type names the wanted type; without it the server chooses.',
      'src/grants/token-exchange/token-exchange.ts',
    ),
    must(
      'rfc8693-2.1-5',
      '§2.1',
      'subject_token and subject_token_type are required.',
      'src/grants/token-exchange/token-exchange.ts',
    ),
    must(
      'rfc8693-2.1-6',
      '§2.1',
      'actor_token_type is required with actor_token, and must not be sent without it.',
      'src/grants/token-exchange/token-exchange.ts',
    ),
    must('rfc8693-2.1-7', '§2.1', 'The server validates each token as its type demands.', 'tokenForExchange'),
    decided(
      'rfc8693-2.1-8',
      '§2.1',
      'Whether a client that does not authenticate may exchange tokens is the choice of the server.',
      'It may not: anyone could exchange what anyone stole (ADR 91).',
      'requirePolicy',
    ),
    must(
      'rfc8693-2.2.1-1',
      '§2.2.1',
      'The answer has access_token, issued_token_type and token_type; here always expires_in and scope too.',
      'src/grants/token-exchange/token-exchange.ts',
    ),
    decided(
      'rfc8693-2.2.1-2',
      '§2.2.1',
      'The answer may have a refresh token.',
      'It has none: a delegate would outlive the token that it was given (ADR 91).',
      'src/grants/token-exchange/token-exchange.ts',
    ),
    must(
      'rfc8693-2.2.2-1',
      '§2.2.2',
      'A subject or actor token that is invalid or not acceptable is invalid_request.',
      'unacceptableToken',
    ),
    must(
      'rfc8693-2.2.2-2',
      '§2.2.2',
      'A target that the server does not serve for this client is invalid_target.',
      'exchangedAudience',
    ),
    must(
      'rfc8693-3-1',
      '§3',
      'Types of tokens are URIs; the server says which it reads and issues.',
      'tokenForExchange',
    ),
    must('rfc8693-4.1-1', '§4.1', 'act names the acting party; earlier actors are nested in it.', 'actOf'),
    client('rfc8693-4.1-2', '§4.1', 'Only the outermost actor counts for decisions about access.'),
    must('rfc8693-4.4-1', '§4.4', 'may_act says who may act for the subject of a token.', 'requireMayAct'),
    must('rfc8693-4.2-1', '§4.2, §4.3', 'A JWT has scope as one string, and client_id.', 'mintAccessToken'),
  ],
};
