import type { JwtInspector } from '../../ports/jwt-inspector.ts';
import { CLOCK_SKEW } from '../../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { CONSTRAINTS } from '../constraints.ts';
import { type SoundStatement, STATEMENT_ALGORITHMS } from '../entity-statement.ts';
import type { ChainReason, CheckTrace, Reason } from '../reason.ts';
import { isNumericDate } from '../statement-checks/time-checks.ts';

/** An entity that the operator trusts, with keys that the operator configured (§4; decision 36). */
export interface TrustAnchor {
  readonly entity_id: string;
  readonly keys: readonly JsonWebKey[];
}

/** A chain to validate. */
export interface Candidate {
  /** ES[0] … ES[i] of §4, from the subject's configuration to that of the trust anchor. */
  readonly statements: readonly SoundStatement[];
  readonly anchor: TrustAnchor;
  readonly now: number;
  readonly inspector: JwtInspector;
}

interface ChainCheck {
  readonly number: number;
  readonly name: string;
  readonly code: ChainReason;
  /** Returns a sentence, or undefined if the rule holds. */
  readonly problem: (candidate: Candidate) => string | undefined | Promise<string | undefined>;
}

const SECTION = '§10.2';

/** The rules of §10.2 in their order. The examination of each statement has checked some of them before. */
const CHAIN_CHECKS: readonly ChainCheck[] = [
  {
    number: 1,
    name: 'required claims',
    code: 'chain_claims',
    problem: ({ statements }) => about(statements.find(lacksClaims), 'lacks a required claim'),
  },
  {
    number: 2,
    name: 'iat in the past',
    code: 'chain_not_yet_valid',
    problem: ({ statements, now }) =>
      about(
        statements.find(({ iat }) => iat > now + CLOCK_SKEW),
        'is not valid yet',
      ),
  },
  {
    number: 3,
    name: 'exp in the future',
    code: 'chain_expired',
    // Without clock skew, because nothing may outlive its chain (§10.4).
    problem: ({ statements, now }) =>
      about(
        statements.find(({ exp }) => now >= exp),
        'has expired',
      ),
  },
  {
    number: 4,
    name: 'ES[0] is a configuration',
    code: 'chain_subject',
    problem: ({ statements: [first] }) =>
      first !== undefined && first.iss === first.sub
        ? undefined
        : 'the chain does not begin with a configuration',
  },
  {
    number: 5,
    name: 'ES[0] is signed by its own key',
    code: 'chain_signature',
    problem: async ({ statements: [first], inspector }) =>
      first === undefined ? 'the chain is empty' : await signatureProblem(inspector, first, first.keys),
  },
  {
    number: 6,
    name: 'ES[j].iss is ES[j+1].sub',
    code: 'chain_links',
    problem: ({ statements }) =>
      about(
        statements.find((statement, index) => {
          const above = statements[index + 1];
          return above !== undefined && statement.iss !== above.sub;
        }),
        'is not by the subject of the next statement',
      ),
  },
  {
    number: 7,
    name: 'ES[j] is signed by a key in ES[j+1]',
    code: 'chain_signature',
    problem: async ({ statements, inspector }) => {
      for (const [index, statement] of statements.slice(0, -1).entries()) {
        const keys = statements[index + 1]?.keys ?? [];
        const problem = await signatureProblem(inspector, statement, keys);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  },
  {
    number: 8,
    name: 'ES[i] is the configuration of the trust anchor',
    code: 'chain_anchor',
    problem: ({ statements, anchor }) => {
      const last = statements.at(-1);
      return last !== undefined && last.iss === anchor.entity_id && last.sub === anchor.entity_id
        ? undefined
        : 'the chain does not end with a configured trust anchor';
    },
  },
  {
    number: 9,
    name: 'ES[i] is signed by a configured key of the trust anchor',
    code: 'chain_anchor_key',
    problem: async (candidate) => await anchorKeyProblem(candidate, -1),
  },
  {
    number: 10,
    name: 'ES[i-1] is signed by a configured key of the trust anchor',
    code: 'chain_anchor_key',
    problem: async (candidate) => await anchorKeyProblem(candidate, -2),
  },
];

function lacksClaims({ iss, sub, iat, exp, keys }: SoundStatement): boolean {
  return iss === '' || sub === '' || !isNumericDate(iat) || !isNumericDate(exp) || keys.length === 0;
}

function about(statement: SoundStatement | undefined, words: string): string | undefined {
  return statement === undefined ? undefined : `${nameOf(statement)} ${words}`;
}

const nameOf = ({ iss, sub }: SoundStatement): string =>
  iss === sub ? `the configuration of ${iss}` : `the statement of ${iss} about ${sub}`;

async function signatureProblem(
  inspector: JwtInspector,
  statement: SoundStatement,
  keys: readonly JsonWebKey[],
): Promise<string | undefined> {
  const problem = await inspector.signatureProblem(statement.jwt, keys, STATEMENT_ALGORITHMS);
  return problem === undefined
    ? undefined
    : `${nameOf(statement)} is not signed by a key that its superior states`;
}

async function anchorKeyProblem(
  { statements, anchor, inspector }: Candidate,
  at: number,
): Promise<string | undefined> {
  const statement = statements.at(at);
  if (statement === undefined) return 'the chain is too short';
  const problem = await inspector.signatureProblem(statement.jwt, anchor.keys, STATEMENT_ALGORITHMS);
  return problem === undefined
    ? undefined
    : `${nameOf(statement)} is not signed by a key that the operator configured for this trust anchor`;
}

export interface ValidatedChain {
  readonly checks: readonly CheckTrace[];
  readonly reason: Reason | undefined;
}

/** Checks a chain against §10.2 and the constraints of its statements (§6.2), up to the first failure. */
export async function validateChain(candidate: Candidate): Promise<ValidatedChain> {
  const checks: CheckTrace[] = [];
  for (const { number, name, code, problem } of CHAIN_CHECKS) {
    const words = await problem(candidate);
    const check = { section: SECTION, number, name };
    if (words !== undefined) return failed(checks, check, { code, words });
    checks.push(check);
  }
  return constraintsHeld(candidate, checks);
}

/** §6.2: "the `constraints` Claim in each Subordinate Statement MUST be independently applied". */
function constraintsHeld({ statements }: Candidate, held: readonly CheckTrace[]): ValidatedChain {
  const checks = [...held];
  const between = statements.slice(1, -1);
  for (const [intermediates, statement] of between.entries()) {
    if (statement.jwt.claims['constraints'] === undefined) continue;
    const subordinates = statements.slice(0, intermediates + 2).map(({ sub }) => sub);
    for (const { section, name, code, problem } of CONSTRAINTS) {
      const words = problem({ statement, intermediates, subordinates: [...new Set(subordinates)] });
      const check = { section, number: 1, name: `${name} of ${statement.iss}` };
      if (words !== undefined) return failed(checks, check, { code, words });
      checks.push(check);
    }
  }
  return { checks, reason: undefined };
}

function failed(
  checks: readonly CheckTrace[],
  check: Omit<CheckTrace, 'reason'>,
  reason: Reason,
): ValidatedChain {
  return { checks: [...checks, { ...check, reason }], reason };
}
