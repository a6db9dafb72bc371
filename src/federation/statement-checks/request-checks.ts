import type { StatementCheck } from './statement-check.ts';

/**
 * §3.1.4: "MUST be the Entity Identifier of the OP and MUST NOT include any other values"; an array could be sent to
 * each of those in it. The interface's dialect does without, unless `federation.require-audience` says otherwise.
 */
export const audienceCheck: StatementCheck = {
  number: 26,
  name: 'aud',
  code: 'statement_audience',
  about: 'trust',
  problem: ({ jwt: { claims }, request }) => {
    const { aud } = claims;
    if (request === undefined) return aud === undefined ? undefined : 'has an aud, which only requests have';
    if (aud === undefined) return request.audienceRequired ? 'has no aud' : undefined;
    return aud === request.audience ? undefined : 'has an aud that is not this server alone';
  },
};

export const trustAnchorCheck: StatementCheck = {
  number: 27,
  name: 'trust_anchor',
  code: 'statement_trust_anchor',
  about: 'trust',
  problem: ({ jwt: { claims } }) =>
    claims['trust_anchor'] === undefined
      ? undefined
      : 'has a trust_anchor, which only answers to registrations have',
};
