import type { JsonValue } from '../../spec/json.ts';
import { STATEMENT_ALGORITHMS, STATEMENT_TYPE } from '../entity-statement.ts';
import { isNameList } from '../json-value.ts';
import type { Examined, StatementCheck } from './statement-check.ts';

/** RFC 7515 §4.1.2 to §4.1.6: a key that the statement brings or names has no part in trust. */
const FOREIGN_KEYS = ['jwk', 'jku', 'x5u', 'x5c'];

const CHAIN_STATEMENTS_MAX = 20;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

export const typeCheck: StatementCheck = {
  number: 2,
  name: 'typ',
  code: 'statement_type',
  about: 'trust',
  problem: ({ jwt: { header }, request }) => {
    const typ = typeOf(header['typ']);
    if (typ === STATEMENT_TYPE) return undefined;
    const isTolerated = request?.dialect === 'interface' && (typ === undefined || typ === 'jwt');
    return isTolerated ? undefined : `has a typ other than ${STATEMENT_TYPE}`;
  },
};

/** RFC 7515 §4.1.9. */
function typeOf(typ: JsonValue | undefined): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
}

export const algorithmCheck: StatementCheck = {
  number: 3,
  name: 'alg',
  code: 'statement_algorithm',
  about: 'trust',
  problem: ({ jwt: { header } }) =>
    STATEMENT_ALGORITHMS.some((algorithm) => algorithm === header['alg'])
      ? undefined
      : 'has an alg that is not accepted',
};

/** Not among the numbers of §3.2; it is part of what a signature by the issuer's keys means (number 12). */
export const foreignKeyCheck: StatementCheck = {
  number: 12,
  name: 'no key in the header',
  code: 'statement_header',
  about: 'trust',
  problem: ({ jwt: { header } }) =>
    FOREIGN_KEYS.some((member) => header[member] !== undefined)
      ? 'brings or names a key in its header'
      : undefined,
};

export const trustChainCheck: StatementCheck = {
  number: 24,
  name: 'trust_chain',
  code: 'statement_trust_chain',
  about: 'trust',
  problem: (examined) => chainHeaderProblem(examined, 'trust_chain'),
};

export const peerTrustChainCheck: StatementCheck = {
  number: 25,
  name: 'peer_trust_chain',
  code: 'statement_trust_chain',
  about: 'trust',
  problem: (examined) => chainHeaderProblem(examined, 'peer_trust_chain'),
};

/** §4.3, §4.4: only a request may carry them. What is in them is a hint, and is not looked into here. */
function chainHeaderProblem({ jwt: { header }, kind }: Examined, name: string): string | undefined {
  const chain = header[name];
  if (chain === undefined) return undefined;
  if (kind !== 'request') return `has a header parameter ${name}, which no statement of a chain may have`;
  const isChain =
    isNameList(chain) && chain.length <= CHAIN_STATEMENTS_MAX && chain.every((jwt) => COMPACT.test(jwt));
  return isChain ? undefined : `has a header parameter ${name} that is not a list of entity statements`;
}
