import type { JwtInspector, UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import {
  expiryProblem,
  type HeldMark,
  headerChecks,
  holdToChecks,
  issuedProblem,
  type MarkCheck,
} from './trust-mark-jwt.ts';

/** The owner of a trust mark type, from `trust_mark_owners` of the trust anchor (§3.1.2). */
export interface TrustMarkOwner {
  readonly entity_id: string;
  readonly keys: readonly JsonWebKey[];
}

export interface DelegationSubject {
  readonly trust_mark: UnverifiedJwt;
  readonly owner: TrustMarkOwner;
  readonly now: number;
}

const DELEGATION_CHECKS: readonly MarkCheck<DelegationSubject>[] = [
  ...headerChecks('trust-mark-delegation+jwt'),
  {
    number: 4,
    name: 'sub is the issuer of the mark',
    problem: ({ claims }, { trust_mark }) =>
      claims['sub'] === trust_mark.claims['iss']
        ? undefined
        : 'has a sub other than the issuer of the trust mark',
  },
  {
    number: 5,
    name: 'iss is the owner',
    problem: ({ claims }, { owner }) =>
      claims['iss'] === owner.entity_id
        ? undefined
        : 'has an iss other than the owner of the trust mark type',
  },
  { number: 6, name: 'iat', problem: (jwt, { now }) => issuedProblem(jwt, now) },
  { number: 7, name: 'exp', problem: (jwt, { now }) => expiryProblem(jwt, now) },
  {
    number: 8,
    name: 'trust_mark_type',
    problem: ({ claims }, { trust_mark }) =>
      claims['trust_mark_type'] === trust_mark.claims['trust_mark_type']
        ? undefined
        : 'has a trust_mark_type other than that of the trust mark',
  },
];

/** Checks a delegation: the owner of a trust mark type allows the issuer to issue its marks (§7.2.2). */
export async function holdDelegation(
  inspector: JwtInspector,
  compact: string,
  subject: DelegationSubject,
): Promise<HeldMark> {
  const rules = {
    section: '§7.2.2',
    code: 'trust_mark_invalid',
    what: 'the delegation of the trust mark',
    checks: DELEGATION_CHECKS,
    signature: 9,
  } as const;
  return await holdToChecks(inspector, compact, rules, subject, async () => subject.owner.keys);
}
