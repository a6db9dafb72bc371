import type { JsonValue } from '../../spec/json.ts';
import { CHAIN_STATEMENTS_MAX, STATEMENT_ALGORITHMS, STATEMENT_TYPE } from '../entity-statement.ts';
import { isNameList } from '../json-value.ts';
import { type Examined, type StatementCheck, shownMember } from './statement-check.ts';

/** Header parameters of RFC 7515 §4.1.2 to §4.1.6 that carry or name a key. Such a key proves nothing. */
const FOREIGN_KEYS = ['jwk', 'jku', 'x5u', 'x5c'];

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
    return isTolerated ? undefined : `has ${shownMember('typ', header['typ'])}; it must be ${STATEMENT_TYPE}`;
  },
};

/** Removes the prefix `application/` and upper case (RFC 7515 §4.1.9). */
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
      : `has ${shownMember('alg', header['alg'])}; it must be one of ${STATEMENT_ALGORITHMS.join(', ')}`,
};

/** §3.2 has no number for this check. It belongs to number 12: only keys of the issuer may verify the signature. */
export const foreignKeyCheck: StatementCheck = {
  number: 12,
  name: 'no key in the header',
  code: 'statement_header',
  about: 'trust',
  problem: ({ jwt: { header } }) =>
    FOREIGN_KEYS.some((member) => header[member] !== undefined)
      ? 'has a key in its header (jwk, jku, x5u or x5c)'
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

/** §4.3, §4.4: only a request may have these parameters. They are hints, so this check looks at their form only. */
function chainHeaderProblem({ jwt: { header }, kind }: Examined, name: string): string | undefined {
  const chain = header[name];
  if (chain === undefined) return undefined;
  if (kind !== 'request') return `has a header parameter ${name}, which only a registration request may have`;
  const isChain =
    isNameList(chain) && chain.length <= CHAIN_STATEMENTS_MAX && chain.every((jwt) => COMPACT.test(jwt));
  return isChain
    ? undefined
    : `has a header parameter ${name} that is not an array of up to ${CHAIN_STATEMENTS_MAX} entity statements`;
}
