import type { JwtInspector, UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import { CLOCK_SKEW } from '../../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { STATEMENT_ALGORITHMS } from '../entity-statement.ts';
import type { CheckTrace, TrustMarkReason } from '../reason.ts';
import { shownMember } from '../statement-checks/statement-check.ts';
import { isNumericDate } from '../statement-checks/time-checks.ts';

/** A numbered rule about a trust mark or a delegation. `problem` returns words that follow its name, or undefined. */
export interface MarkCheck<Subject> {
  readonly number: number;
  readonly name: string;
  readonly problem: (mark: UnverifiedJwt, subject: Subject) => string | undefined;
}

const TRUST_MARK_LENGTH_MAX = 16_384;

/** Returns the checks of the header. §7 and §7.2.1: "MUST be explicitly typed"; "Trust Mark JWTs MUST include the `kid` (Key ID) header parameter". */
export function headerChecks(type: string): readonly MarkCheck<unknown>[] {
  return [
    {
      number: 2,
      name: 'typ',
      problem: ({ header: { typ } }) =>
        typ === type ? undefined : `has ${shownMember('typ', typ)}; it must be ${type}`,
    },
    {
      number: 3,
      name: 'alg',
      problem: ({ header: { alg, kid } }) => {
        if (!STATEMENT_ALGORITHMS.some((algorithm) => algorithm === alg))
          return `has ${shownMember('alg', alg)}; it must be one of ${STATEMENT_ALGORITHMS.join(', ')}`;
        return typeof kid === 'string' && kid !== '' ? undefined : 'has no kid in its header';
      },
    },
  ];
}

export function issuedProblem({ claims: { iat } }: UnverifiedJwt, now: number): string | undefined {
  if (!isNumericDate(iat)) return 'must have an iat that is a whole number of seconds';
  return iat > now + CLOCK_SKEW ? 'is not valid yet' : undefined;
}

/** §7.1: "If not present, it means that the Trust Mark does not expire." */
export function expiryProblem({ claims: { exp } }: UnverifiedJwt, now: number): string | undefined {
  if (exp === undefined) return undefined;
  if (!isNumericDate(exp)) return 'has an exp that is not a whole number of seconds';
  return now >= exp ? 'has expired' : undefined;
}

export interface HeldMark {
  readonly checks: readonly CheckTrace[];
  /** The JWT, if every rule holds. */
  readonly jwt: UnverifiedJwt | undefined;
}

/** Checks a JWT against rule 1, the given rules and, last, the signature, whose rule has the given number. */
export async function holdToChecks<Subject>(
  inspector: JwtInspector,
  compact: string,
  rules: {
    readonly section: string;
    readonly code: TrustMarkReason;
    readonly what: string;
    readonly checks: readonly MarkCheck<Subject>[];
    readonly signature: number;
    /** The maximum number of characters; absent: that of a trust mark. */
    readonly length?: number;
  },
  subject: Subject,
  keysOf: (jwt: UnverifiedJwt) => Promise<readonly JsonWebKey[] | undefined>,
): Promise<HeldMark> {
  const { section, code, what } = rules;
  const checks: CheckTrace[] = [];
  const refused = (number: number, name: string, words: string): HeldMark => ({
    checks: [...checks, { section, number, name, reason: { code, words: `${what} ${words}` } }],
    jwt: undefined,
  });
  const jwt = inspector.inspect(compact, rules.length ?? TRUST_MARK_LENGTH_MAX);
  if ('reason' in jwt) return refused(1, 'signed JWT', 'is not a signed JWT in compact form');
  checks.push({ section, number: 1, name: 'signed JWT' });
  for (const { number, name, problem } of rules.checks) {
    const words = problem(jwt, subject);
    if (words !== undefined) return refused(number, name, words);
    checks.push({ section, number, name });
  }
  const keys = await keysOf(jwt);
  if (keys === undefined) return refused(rules.signature, 'signature', 'has an issuer that is not trusted');
  const problem = await inspector.signatureProblem(jwt, keys, STATEMENT_ALGORITHMS);
  if (problem !== undefined)
    return refused(rules.signature, 'signature', 'is not signed by a key of its issuer');
  checks.push({ section, number: rules.signature, name: 'signature' });
  return { checks, jwt };
}
