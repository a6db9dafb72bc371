import type { UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import type { OutboundProblem } from '../../ports/outbound-http.ts';
import { quotedValue } from '../../spec/errors.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { StatementKind } from '../entity-statement.ts';
import type { StatementReason } from '../reason.ts';

/** The rules for a statement in the place where it was found. */
export interface StatementRules {
  readonly kind: StatementKind;
  /** The required `sub`. Undefined accepts every subject. */
  readonly subject?: string;
  /** The superior that issued a subordinate statement, with the federation keys of its configuration. */
  readonly issuer?: { readonly entity_id: string; readonly keys: readonly JsonWebKey[] };
  /** For a subordinate statement, the `authority_hints` of its subject's configuration. */
  readonly subjectHints?: readonly string[];
  readonly request?: RequestRules;
  /** Seconds since the Unix epoch. */
  readonly now: number;
  readonly limits: StatementLimits;
  /** Whether identifiers may use http, for development. */
  readonly allowHttp: boolean;
  /** Returns why this server must not connect to the address of an entity, or undefined if it may. */
  readonly addressProblem: (entityId: string) => OutboundProblem | undefined;
}

/** The rules for explicit registration requests only. */
export interface RequestRules {
  /** `interface`: `application/jose`, `typ` and `kid` are optional. `final`: all rules of §3.2 (decision 34). */
  readonly dialect: 'interface' | 'final';
  /** The entity identifier of this server, the only allowed `aud`. */
  readonly audience: string;
  readonly audienceRequired: boolean;
  /** The maximum age of `iat` in seconds (trap S2). */
  readonly ageMax: number;
  /** The maximum time from now to `exp` in seconds. */
  readonly lifetimeMax: number;
}

export interface StatementLimits {
  /** The maximum number of characters of a statement. */
  readonly length: number;
  readonly keys: number;
  /** The maximum number of entries in `authority_hints`, including those that are not followed. */
  readonly authorityHints: number;
}

/** A statement under examination. Nothing in it is trusted yet. */
export interface Examined extends StatementRules {
  readonly jwt: UnverifiedJwt;
}

export interface StatementCheck {
  /** The number in §3.2. */
  readonly number: number;
  readonly name: string;
  readonly code: StatementReason;
  /** Whether a failure concerns the form of a request (400) or trust in it (401). */
  readonly about: 'form' | 'trust';
  /** Returns words that follow "the entity statement", or undefined if the rule holds or does not apply. */
  readonly problem: (examined: Examined) => string | undefined;
}

/** Renders a claim or a header parameter for an error text, for example `the typ 'JWT'` or `no typ`. */
export function shownMember(name: string, value: JsonValue | undefined): string {
  if (value === undefined) return `no ${name}`;
  return `the ${name} ${quotedValue(typeof value === 'string' ? value : JSON.stringify(value))}`;
}
