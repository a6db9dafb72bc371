import { entityIdProblem } from '../entity-id.ts';
import { type StatementCheck, shownMember } from './statement-check.ts';

export const subjectCheck: StatementCheck = {
  number: 4,
  name: 'sub',
  code: 'statement_subject',
  about: 'trust',
  problem: ({ jwt: { claims }, subject }) =>
    subject === undefined || claims['sub'] === subject
      ? undefined
      : `has ${shownMember('sub', claims['sub'])}; it must be ${subject}`,
};

export const issuerCheck: StatementCheck = {
  number: 5,
  name: 'iss',
  code: 'statement_issuer',
  about: 'form',
  problem: ({ jwt: { claims }, allowHttp }) => {
    const problem = entityIdProblem(claims['iss'], allowHttp);
    return problem === undefined
      ? undefined
      : claims['iss'] === undefined
        ? 'has no iss'
        : `has ${shownMember('iss', claims['iss'])}, which ${problem}`;
  },
};

/**
 * Rejects a request whose identifier points to an internal address. This server does not connect to the identifier of a
 * request, so a forbidden port is no problem here.
 */
export const requestAddressCheck: StatementCheck = {
  number: 5,
  name: 'iss is a public address',
  code: 'statement_issuer',
  about: 'form',
  problem: ({ jwt: { claims }, request, addressProblem }) => {
    const { iss } = claims;
    if (request === undefined || typeof iss !== 'string' || iss === request.audience) return undefined;
    const reason = addressProblem(iss)?.reason;
    return reason === 'forbidden-address' || reason === 'forbidden-host'
      ? `has ${shownMember('iss', iss)}, which is not a public address`
      : undefined;
  },
};

export const ownIdCheck: StatementCheck = {
  number: 5,
  name: 'iss is not this server',
  code: 'statement_issuer',
  about: 'trust',
  problem: ({ jwt: { claims }, request }) =>
    request !== undefined && claims['iss'] === request.audience
      ? 'has the entity identifier of this server as its iss'
      : undefined,
};

export const configurationCheck: StatementCheck = {
  number: 6,
  name: 'iss and sub',
  code: 'statement_not_a_configuration',
  about: 'form',
  problem: ({ jwt: { claims }, kind }) =>
    kind === 'subordinate' || claims['iss'] === claims['sub']
      ? undefined
      : `has ${shownMember('iss', claims['iss'])} and ${shownMember('sub', claims['sub'])}; they must be equal`,
};

export const subordinateCheck: StatementCheck = {
  number: 6,
  name: 'iss of a subordinate statement',
  code: 'statement_not_subordinate',
  about: 'trust',
  problem: ({ jwt: { claims }, issuer }) =>
    issuer === undefined || claims['iss'] === issuer.entity_id
      ? undefined
      : `has ${shownMember('iss', claims['iss'])}; it must be the superior ${issuer.entity_id}`,
};

/** "the `iss` Claim Value MUST match one of the values in the `authority_hints` array". */
export const hintedCheck: StatementCheck = {
  number: 6,
  name: 'iss in the authority_hints of the subject',
  code: 'statement_issuer_not_hinted',
  about: 'trust',
  problem: ({ jwt: { claims }, subjectHints }) =>
    subjectHints === undefined || subjectHints.some((hint) => hint === claims['iss'])
      ? undefined
      : `has ${shownMember('iss', claims['iss'])}, which the authority_hints of its subject do not contain`,
};
