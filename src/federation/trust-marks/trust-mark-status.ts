import type { Clock } from '../../ports/clock.ts';
import type { JwtInspector, UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import type { OutboundForms } from '../../ports/outbound-http.ts';
import type { BoundedMap } from '../../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { utf8Text } from '../../spec/percent-encoding.ts';
import type { CheckTrace, Reason } from '../reason.ts';
import { shownMember } from '../statement-checks/statement-check.ts';
import type { Requester } from '../trust-chain/statement-source.ts';
import {
  expiryProblem,
  headerChecks,
  holdToChecks,
  issuedProblem,
  type MarkCheck,
} from './trust-mark-jwt.ts';

/** The issuer of a trust mark, in which trust was established. */
export interface MarkIssuer {
  readonly keys: readonly JsonWebKey[];
  /** `federation_trust_mark_status_endpoint` (§5.1.1). */
  readonly status_endpoint: string | undefined;
}

export interface StatusRule {
  /** The marks whose status is asked. `without-expiry`: those without `exp`, for which §7.3 recommends it. */
  readonly asks: 'never' | 'without-expiry' | 'always';
  /** The fate of a mark whose status is not known, for example because its issuer is away. */
  readonly unknown: 'refuse' | 'accept';
}

export interface TrustMarkStatusNeeds {
  readonly outbound: Pick<OutboundForms, 'askForm'>;
  readonly inspector: JwtInspector;
  readonly clock: Pick<Clock, 'now' | 'milliseconds'>;
  readonly caches: Caches;
  readonly rule: StatusRule;
  /** The time for which a status is cached, and for which an issuer without an answer is not asked again. */
  readonly keptMs: number;
  readonly failedMs: number;
}

/** A status, or why it is not known. */
type Known =
  | { readonly status: string }
  | {
      readonly unknown: Reason;
      /** Whether a limit of this server kept it from asking: that says nothing about the issuer. */
      readonly unasked?: boolean;
    };

const TYPE = 'trust-mark-status-response+jwt';

/** §8.4.2; earlier drafts answered with JSON that has a boolean `active`. */
const EXPECTATION = { mediaTypes: [`application/${TYPE}`, 'application/json'] };

const ACTIVE = 'active';

/** The response contains the mark, so it is longer. */
const RESPONSE_LENGTH_MAX = 65_536;

/** Older responses may be replays. */
const AGE_MAX = 3600;

interface StatusSubject {
  readonly mark: UnverifiedJwt;
  readonly now: number;
}

const RESPONSE_CHECKS: readonly MarkCheck<StatusSubject>[] = [
  ...headerChecks(TYPE),
  {
    number: 4,
    name: 'iss is the issuer of the mark',
    problem: ({ claims }, { mark }) =>
      claims['iss'] === mark.claims['iss'] ? undefined : 'has an iss other than that of the trust mark',
  },
  { number: 5, name: 'iat', problem: (jwt, { now }) => issuedProblem(jwt, now) ?? ageProblem(jwt, now) },
  { number: 6, name: 'exp', problem: (jwt, { now }) => expiryProblem(jwt, now) },
  {
    number: 7,
    name: 'trust_mark is the mark that was asked for',
    problem: ({ claims }, { mark }) =>
      claims['trust_mark'] === mark.compact ? undefined : 'is about another trust mark',
  },
  {
    number: 8,
    name: 'status',
    problem: ({ claims }) => (typeof claims['status'] === 'string' ? undefined : 'has no status'),
  },
];

const ageProblem = ({ claims: { iat } }: UnverifiedJwt, now: number): string | undefined =>
  Number(iat) + AGE_MAX < now ? `is older than ${AGE_MAX} seconds` : undefined;

const KEPT_BYTES = SLOT_BYTES + 400;

/** Asks issuers whether their trust marks are active (§8.4). */
export class TrustMarkStatuses {
  readonly #needs: TrustMarkStatusNeeds;
  readonly #kept: BoundedMap<string, { readonly known: Known; readonly until: number }>;

  constructor(needs: TrustMarkStatusNeeds) {
    this.#needs = needs;
    this.#kept = needs.caches.open('entity-statements', {
      weigh: (_, mark) => KEPT_BYTES + textBytes(mark),
    });
  }

  /** Says whether the rule wants the status of this mark. */
  wants({ claims: { exp } }: UnverifiedJwt, { status_endpoint }: MarkIssuer): boolean {
    const { asks } = this.#needs.rule;
    if (asks === 'never' || (asks === 'without-expiry' && exp !== undefined)) return false;
    return status_endpoint !== undefined || asks === 'always';
  }

  /** Checks the status of a mark that holds otherwise, and whose status is wanted. Never rejects. */
  async check(mark: UnverifiedJwt, issuer: MarkIssuer, requester: Requester): Promise<CheckTrace> {
    const { unknown } = this.#needs.rule;
    const { status_endpoint } = issuer;
    const known =
      status_endpoint === undefined
        ? { unknown: notKnown('its issuer has no federation_trust_mark_status_endpoint') }
        : await this.#status(mark, { ...issuer, status_endpoint }, requester);
    const check = { section: '§8.4', number: 2, name: 'status of the trust mark' };
    if ('status' in known)
      return known.status === ACTIVE ? check : { ...check, reason: notActive(known.status) };
    if (unknown === 'refuse') return { ...check, reason: known.unknown };
    return { ...check, name: `${check.name}: not known, and accepted` };
  }

  async #status(
    mark: UnverifiedJwt,
    issuer: MarkIssuer & { readonly status_endpoint: string },
    requester: Requester,
  ): Promise<Known> {
    const { clock, keptMs, failedMs } = this.#needs;
    const found = this.#kept.get(mark.compact);
    if (found !== undefined && clock.milliseconds() < found.until) return found.known;
    const known = await this.#ask(mark, issuer, requester);
    const forMs = 'status' in known ? keptMs : known.unasked === true ? 0 : failedMs;
    if (forMs > 0) this.#kept.set(mark.compact, { known, until: clock.milliseconds() + forMs });
    return known;
  }

  async #ask(
    mark: UnverifiedJwt,
    { status_endpoint, keys }: MarkIssuer & { readonly status_endpoint: string },
    { remoteAddress, subject: party, purpose }: Requester,
  ): Promise<Known> {
    const form = { trust_mark: mark.compact };
    const cause = { purpose, remoteAddress, party };
    const fetched = await this.#needs.outbound.askForm(status_endpoint, form, EXPECTATION, cause);
    if (fetched.status === 'failed') {
      const { reason, detail, retryAfter } = fetched;
      const unasked = reason === 'busy' || reason === 'gave-way';
      return { unknown: notKnown('its issuer gives no answer', `${reason}: ${detail}`, retryAfter), unasked };
    }
    const text = utf8Text(fetched.body) ?? '';
    if (fetched.mediaType === 'application/json') return ofJson(text);
    const { inspector, clock } = this.#needs;
    const rules = {
      section: '§8.4.2',
      code: 'trust_mark_status',
      what: 'the response',
      checks: RESPONSE_CHECKS,
      signature: 9,
      length: RESPONSE_LENGTH_MAX,
    } as const;
    const subject = { mark, now: clock.now() };
    const { jwt, checks } = await holdToChecks(inspector, text, rules, subject, async () => keys);
    const status = jwt?.claims['status'];
    if (typeof status === 'string') return { status };
    return {
      unknown: notKnown(`the answer of its issuer is not valid: ${checks.at(-1)?.reason?.words ?? ''}`),
    };
  }
}

function ofJson(text: string): Known {
  const { active } = parsed(text) as { readonly active?: unknown };
  if (typeof active === 'boolean') return { status: active ? ACTIVE : 'not active' };
  return { unknown: notKnown('the answer of its issuer has no member active') };
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const notActive = (status: string): Reason => ({
  code: 'trust_mark_revoked',
  words: `the issuer of the trust mark says that it has ${shownMember('status', status)}, not active`,
});

const notKnown = (why: string, detail?: string, retryAfter?: number): Reason => ({
  code: 'trust_mark_status',
  words: `the status of the trust mark is not known: ${why}`,
  ...(detail === undefined ? {} : { detail }),
  ...(retryAfter === undefined ? {} : { retryAfter }),
});
