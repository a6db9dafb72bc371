import { closed, said, TEXT, WEB_ADDRESS } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

/** OpenID Connect Discovery 1.0 §2: the relation between an end-user and the issuer that signs them in. */
export const ISSUER_RELATION = 'http://openid.net/specs/connect/1.0/issuer';

/** Exists only with `webfinger.domains`. */
export const contract = {
  name: 'webfinger',
  method: 'GET',
  path: '/.well-known/webfinger',
  purpose: 'Names the issuer that signs an end-user in.',
  credentials: ['none'],
  inputs: [
    {
      name: 'resource',
      in: 'query',
      words: 'The end-user, as `acct:name@domain` (RFC 7565) or as an https address at the domain.',
      schema: TEXT,
      required: true,
    },
    {
      name: 'rel',
      in: 'query',
      words: `The wanted relation. It may be repeated. The server knows \`${ISSUER_RELATION}\` only.`,
      schema: TEXT,
    },
  ],
  answers: {
    200: {
      words: 'The issuer. The answer is the same whether or not there is such an account.',
      content: {
        'application/jrd+json': closed({
          subject: said('The `resource` of the request.', TEXT),
          links: {
            type: 'array',
            items: closed({ rel: { const: ISSUER_RELATION }, href: said('The issuer.', WEB_ADDRESS) }),
          },
        }),
      },
    },
  },
  specifications: ['RFC 7033 §4', 'OpenID Connect Discovery 1.0 §2'],
  statuses: [200, 400, 404, 500],
  errors: 'json',
  refusals: ['invalid_request'],
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
