import { entityIdProblem } from '../entity-id.ts';
import type { StatementCheck } from './statement-check.ts';

export const subjectCheck: StatementCheck = {
  number: 4,
  name: 'sub',
  code: 'statement_subject',
  about: 'trust',
  problem: ({ jwt: { claims }, subject }) =>
    subject === undefined || claims['sub'] === subject ? undefined : 'is about another entity',
};

export const issuerCheck: StatementCheck = {
  number: 5,
  name: 'iss',
  code: 'statement_issuer',
  about: 'form',
  problem: ({ jwt: { claims }, allowHttp }) => {
    const problem = entityIdProblem(claims['iss'], allowHttp);
    return problem === undefined ? undefined : `has an iss that ${problem}`;
  },
};

/**
 * A request is refused at the door for an identifier that leads to the inside. Nobody is asked at that address, so that
 * its port, or a name that is not asked for, is no matter.
 */
export const requestAddressCheck: StatementCheck = {
  number: 5,
  name: 'iss leads to no address of the inside',
  code: 'statement_issuer',
  about: 'form',
  problem: ({ jwt: { claims }, request, addressProblem }) => {
    const { iss } = claims;
    if (request === undefined || typeof iss !== 'string' || iss === request.audience) return undefined;
    const reason = addressProblem(iss)?.reason;
    return reason === 'forbidden-address' || reason === 'forbidden-host'
      ? 'has an iss that is not a public address'
      : undefined;
  },
};

export const ownIdCheck: StatementCheck = {
  number: 5,
  name: 'iss is not this server',
  code: 'statement_issuer',
  about: 'trust',
  problem: ({ jwt: { claims }, request }) =>
    request !== undefined && claims['iss'] === request.audience ? 'is by this server itself' : undefined,
};

export const configurationCheck: StatementCheck = {
  number: 6,
  name: 'iss and sub',
  code: 'statement_not_a_configuration',
  about: 'form',
  problem: ({ jwt: { claims }, kind }) =>
    kind === 'subordinate' || claims['iss'] === claims['sub'] ? undefined : 'has an iss that is not its sub',
};

export const subordinateCheck: StatementCheck = {
  number: 6,
  name: 'iss of a subordinate statement',
  code: 'statement_not_subordinate',
  about: 'trust',
  problem: ({ jwt: { claims }, issuer }) =>
    issuer === undefined || claims['iss'] === issuer.entity_id ? undefined : 'is by another superior',
};

/** "the `iss` Claim Value MUST match one of the values in the `authority_hints` array". */
export const hintedCheck: StatementCheck = {
  number: 6,
  name: 'iss among the authority_hints of the subject',
  code: 'statement_issuer_not_hinted',
  about: 'trust',
  problem: ({ jwt: { claims }, subjectHints }) =>
    subjectHints === undefined || subjectHints.some((hint) => hint === claims['iss'])
      ? undefined
      : 'is by an entity that its subject does not name as a superior',
};
