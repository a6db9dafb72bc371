import type { JwtInspector } from '../ports/jwt-inspector.ts';
import { type SoundStatement, STATEMENT_ALGORITHMS, soundStatement } from './entity-statement.ts';
import type { CheckTrace, Reason } from './reason.ts';
import {
  audienceCheck,
  authorityHintsCheck,
  constraintsCheck,
  critCheck,
  metadataCheck,
  metadataPolicyCheck,
  metadataPolicyCritCheck,
  sourceEndpointCheck,
  trustAnchorCheck,
  trustAnchorHintsCheck,
} from './statement-checks/claim-checks.ts';
import {
  algorithmCheck,
  foreignKeyCheck,
  peerTrustChainCheck,
  trustChainCheck,
  typeCheck,
} from './statement-checks/header-checks.ts';
import {
  configurationCheck,
  hintedCheck,
  issuerCheck,
  ownIdCheck,
  requestAddressCheck,
  subjectCheck,
  subordinateCheck,
} from './statement-checks/identity-checks.ts';
import { issuerKeys, jwksCheck, kidCheck } from './statement-checks/key-checks.ts';
import type { Examined, StatementCheck, StatementRules } from './statement-checks/statement-check.ts';
import { ageCheck, expiryCheck, issuedCheck, lifetimeCheck } from './statement-checks/time-checks.ts';
import {
  trustMarkIssuersCheck,
  trustMarkOwnersCheck,
  trustMarksCheck,
} from './statement-checks/trust-mark-checks.ts';

/**
 * The checks in the order in which they run. §3.2: "These steps MAY be performed in a different order". Checks of the form
 * come first, so that a malformed request gets 400. The signature, the most expensive check, comes last.
 */
export const STATEMENT_CHECKS: readonly StatementCheck[] = [
  issuerCheck,
  configurationCheck,
  requestAddressCheck,
  jwksCheck,
  authorityHintsCheck,
  trustAnchorHintsCheck,
  metadataCheck,
  trustMarksCheck,
  trustMarkIssuersCheck,
  trustMarkOwnersCheck,
  typeCheck,
  algorithmCheck,
  foreignKeyCheck,
  ownIdCheck,
  subjectCheck,
  subordinateCheck,
  hintedCheck,
  issuedCheck,
  ageCheck,
  expiryCheck,
  lifetimeCheck,
  kidCheck,
  critCheck,
  metadataPolicyCheck,
  metadataPolicyCritCheck,
  constraintsCheck,
  sourceEndpointCheck,
  trustChainCheck,
  peerTrustChainCheck,
  audienceCheck,
  trustAnchorCheck,
];

const SECTION = '§3.2';

export interface Examination {
  /** The checks that ran, up to the first that failed. */
  readonly checks: readonly CheckTrace[];
  readonly outcome: { readonly statement: SoundStatement } | StatementRefusal;
}

export interface StatementRefusal {
  readonly reason: Reason;
  /** Says whether the failed check is about the form (400) or about trust (401). */
  readonly about: StatementCheck['about'];
}

/**
 * Checks a statement against every rule of §3.2. Fetches nothing, so a sender proves its key before this server connects to
 * any address. Never throws.
 */
export async function examineStatement(
  inspector: JwtInspector,
  compact: string,
  rules: StatementRules,
): Promise<Examination> {
  return await examineJwt(inspector, inspector.inspect(compact, rules.limits.length), rules);
}

/** Examines a statement that was inspected before. */
export async function examineJwt(
  inspector: JwtInspector,
  jwt: ReturnType<JwtInspector['inspect']>,
  rules: StatementRules,
): Promise<Examination> {
  const checks: CheckTrace[] = [];
  if ('reason' in jwt) {
    // The inspector rejects a header for `crit` or `b64` after it has read the JWT, so the form is correct.
    const about = jwt.reason === 'header' ? 'trust' : 'form';
    const reason: Reason = {
      code: 'statement_not_signed_jwt',
      words: 'the entity statement is not a signed JWT in compact form',
      detail: jwt.reason,
    };
    return refused(checks, { section: SECTION, number: 1, name: 'signed JWT' }, reason, about);
  }
  checks.push({ section: SECTION, number: 1, name: 'signed JWT' });
  const examined: Examined = { ...rules, jwt };
  for (const { number, name, code, about, problem } of STATEMENT_CHECKS) {
    const words = problem(examined);
    const check = { section: SECTION, number, name };
    if (words !== undefined)
      return refused(checks, check, { code, words: `the entity statement ${words}` }, about);
    checks.push(check);
  }
  const check = { section: SECTION, number: 12, name: 'signature' };
  const problem = await inspector.signatureProblem(jwt, issuerKeys(examined), STATEMENT_ALGORITHMS);
  if (problem !== undefined) return refused(checks, check, badSignature(problem), 'trust');
  checks.push(check);
  return { checks, outcome: { statement: soundStatement(jwt, rules.kind) } };
}

function badSignature(detail: string): Reason {
  const words = 'the entity statement has a signature that no key of its issuer verifies';
  return { code: 'statement_signature', words, detail };
}

function refused(
  checks: readonly CheckTrace[],
  check: Omit<CheckTrace, 'reason'>,
  reason: Reason,
  about: StatementCheck['about'],
): Examination {
  return { checks: [...checks, { ...check, reason }], outcome: { reason, about } };
}
