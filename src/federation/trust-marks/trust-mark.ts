import type { JwtInspector, UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { SoundStatement } from '../entity-statement.ts';
import { isArray, isObject, type JsonMembers } from '../json-value.ts';
import type { CheckTrace, Reason } from '../reason.ts';
import { holdDelegation, type TrustMarkOwner } from './delegation.ts';
import {
  expiryProblem,
  headerChecks,
  holdToChecks,
  issuedProblem,
  type MarkCheck,
} from './trust-mark-jwt.ts';
import type { MarkIssuer } from './trust-mark-status.ts';

export interface TrustMarkNeeds {
  readonly inspector: JwtInspector;
  readonly now: number;
  /** Resolves trust in an entity (§7.3). Returns undefined if it is not trusted. */
  readonly trustedIssuer: (entityId: string) => Promise<MarkIssuer | undefined>;
  /** Checks the status of a mark (§8.4); undefined if it is not asked. */
  readonly statusOf: (mark: UnverifiedJwt, issuer: MarkIssuer) => Promise<CheckTrace | undefined>;
}

interface MarkSubject {
  readonly holder: SoundStatement;
  readonly anchor: SoundStatement;
  readonly type: string;
  readonly now: number;
}

const MARK_CHECKS: readonly MarkCheck<MarkSubject>[] = [
  ...headerChecks('trust-mark+jwt'),
  {
    number: 4,
    name: 'sub is the holder',
    problem: ({ claims }, { holder }) =>
      claims['sub'] === holder.sub ? undefined : 'has a sub other than the entity that has the mark',
  },
  { number: 5, name: 'iat', problem: (jwt, { now }) => issuedProblem(jwt, now) },
  { number: 6, name: 'exp', problem: (jwt, { now }) => expiryProblem(jwt, now) },
  {
    number: 8,
    name: 'delegation where the type has an owner',
    problem: ({ claims }, { anchor, type }) =>
      ownerOf(anchor, type) !== undefined && typeof claims['delegation'] !== 'string'
        ? 'has no delegation by the owner of its type'
        : undefined,
  },
  {
    number: 7,
    name: 'the trust anchor accredits the issuer',
    problem: ({ claims }, { anchor, type }) => accreditationProblem(anchor, type, claims['iss']),
  },
];

/** Checks `trust_mark_issuers`. §3.1.2: "If the array following a Trust Mark type identifier is empty, anyone MAY issue Trust Marks". */
function accreditationProblem(
  anchor: SoundStatement,
  type: string,
  iss: JsonValue | undefined,
): string | undefined {
  const issuers = ofType(anchor.jwt.claims['trust_mark_issuers'], type);
  if (!isArray(issuers))
    return 'has a trust_mark_type that trust_mark_issuers of the trust anchor does not list';
  if (typeof iss !== 'string') return 'has no iss';
  return issuers.length === 0 || issuers.includes(iss)
    ? undefined
    : 'has an iss that trust_mark_issuers of the trust anchor does not list';
}

function ofType(claim: JsonValue | undefined, type: string): JsonValue | undefined {
  return isObject(claim) && Object.hasOwn(claim, type) ? claim[type] : undefined;
}

function ownerOf(anchor: SoundStatement, type: string): TrustMarkOwner | undefined {
  const owner = ofType(anchor.jwt.claims['trust_mark_owners'], type);
  if (!isObject(owner)) return undefined;
  const { keys } = owner['jwks'] as unknown as { readonly keys: readonly JsonWebKey[] };
  return { entity_id: owner['sub'] as string, keys };
}

export interface RequiredMarks {
  readonly checks: readonly CheckTrace[];
  /** Why a required mark is absent or not valid. */
  readonly reason: Reason | undefined;
}

/** Checks that the holder has a valid mark of each of these types (§7.3). Ignores marks of other types. */
export async function holdRequiredMarks(
  needs: TrustMarkNeeds,
  holder: SoundStatement,
  anchor: SoundStatement,
  types: readonly string[],
): Promise<RequiredMarks> {
  const checks: CheckTrace[] = [];
  for (const type of types) {
    const held = await holdOneOf(needs, { holder, anchor, type, now: needs.now });
    checks.push(...held.checks);
    if (held.reason !== undefined) return { checks, reason: held.reason };
  }
  return { checks, reason: undefined };
}

/** The maximum number of marks of one type that are checked. One valid mark is enough. */
const MARKS_TRIED_MAX = 3;

async function holdOneOf(needs: TrustMarkNeeds, subject: MarkSubject): Promise<RequiredMarks> {
  const { holder, type } = subject;
  const marks = marksOf(holder).filter(({ trust_mark_type }) => trust_mark_type === type);
  const checks: CheckTrace[] = [];
  for (const { trust_mark } of marks.slice(0, MARKS_TRIED_MAX)) {
    const tried = await holdMark(needs, trust_mark as string, subject);
    checks.push(...tried);
    if (tried.every(({ reason }) => reason === undefined)) return { checks, reason: undefined };
  }
  const words = `${holder.sub} has no trust mark of the required type ${type}`;
  const absent = { code: 'trust_mark_absent', words } as const;
  const failure = checks.find(({ reason }) => reason !== undefined)?.reason;
  return { checks, reason: failure ?? absent };
}

function marksOf({ jwt: { claims } }: SoundStatement): readonly JsonMembers[] {
  const { trust_marks } = claims;
  return isArray(trust_marks) ? trust_marks.filter(isObject) : [];
}

async function holdMark(
  { inspector, trustedIssuer, statusOf, now }: TrustMarkNeeds,
  compact: string,
  subject: MarkSubject,
): Promise<readonly CheckTrace[]> {
  const rules = {
    section: '§7.3',
    code: 'trust_mark_invalid',
    what: 'the trust mark',
    checks: MARK_CHECKS,
    signature: 7,
  } as const;
  let issuer: MarkIssuer | undefined;
  const keysOf = async ({ claims: { iss } }: UnverifiedJwt) => {
    issuer = typeof iss === 'string' ? await trustedIssuer(iss) : undefined;
    return issuer?.keys;
  };
  const held = await holdToChecks(inspector, compact, rules, subject, keysOf);
  if (held.jwt === undefined || issuer === undefined) return held.checks;
  const checks = [...held.checks, ...(await delegationChecks(inspector, held.jwt, subject, now))];
  if (checks.some(({ reason }) => reason !== undefined)) return checks;
  // The status comes last: it costs a request to the issuer.
  const status = await statusOf(held.jwt, issuer);
  return status === undefined ? checks : [...checks, status];
}

async function delegationChecks(
  inspector: JwtInspector,
  jwt: UnverifiedJwt,
  subject: MarkSubject,
  now: number,
): Promise<readonly CheckTrace[]> {
  const { delegation } = jwt.claims;
  if (delegation === undefined) return [];
  const owner = ownerOf(subject.anchor, subject.type);
  const number = 9;
  const name = 'delegation';
  if (owner === undefined || typeof delegation !== 'string') {
    const words = 'the trust mark has a delegation, but its type has no owner';
    return [{ section: '§7.3', number, name, reason: { code: 'trust_mark_invalid', words } }];
  }
  return (await holdDelegation(inspector, delegation, { trust_mark: jwt, owner, now })).checks;
}
