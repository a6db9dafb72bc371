import type { UnverifiedJwt } from '../../ports/jwt-inspector.ts';
import type { OutboundProblem } from '../../ports/outbound-http.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { StatementKind } from '../entity-statement.ts';
import type { StatementReason } from '../reason.ts';

/** What a statement must be to be accepted in the place where it was found. */
export interface StatementRules {
  readonly kind: StatementKind;
  /** Whose identifier `sub` must be; undefined where anyone may speak for themselves. */
  readonly subject?: string;
  /** Of a subordinate statement: the superior, with the federation keys of its own configuration. */
  readonly issuer?: { readonly entity_id: string; readonly keys: readonly JsonWebKey[] };
  /** Of a subordinate statement: the `authority_hints` of its subject's configuration. */
  readonly subjectHints?: readonly string[];
  readonly request?: RequestRules;
  /** Seconds since the Unix epoch. */
  readonly now: number;
  readonly limits: StatementLimits;
  /** Whether plain http is accepted in identifiers; in development. */
  readonly allowHttp: boolean;
  /** Why an entity must not be asked, as far as its address says; undefined when it may. */
  readonly addressProblem: (entityId: string) => OutboundProblem | undefined;
}

/** What holds for explicit registration requests only. */
export interface RequestRules {
  /** Interface: `application/jose`, without `typ` and `kid` if the sender likes; Final: as §3.2 says (decision 34). */
  readonly dialect: 'interface' | 'final';
  /** The identifier of this server: the only `aud` there may be. */
  readonly audience: string;
  readonly audienceRequired: boolean;
  /** Seconds that `iat` may lie behind now (trap S2). */
  readonly ageMax: number;
  /** Seconds that `exp` may lie ahead of now. */
  readonly lifetimeMax: number;
}

export interface StatementLimits {
  /** Characters of the whole statement. */
  readonly length: number;
  readonly keys: number;
  /** Entries of `authority_hints`, followed or not. */
  readonly authorityHints: number;
}

/** A statement that is being examined: nothing in it may be relied on. */
export interface Examined extends StatementRules {
  readonly jwt: UnverifiedJwt;
}

export interface StatementCheck {
  /** Of §3.2. */
  readonly number: number;
  readonly name: string;
  readonly code: StatementReason;
  /** Whether it is about the form of a request (400) or about trust in it (401). */
  readonly about: 'form' | 'trust';
  /** Words that follow "the entity statement"; undefined where the rule holds or does not concern the statement. */
  readonly problem: (examined: Examined) => string | undefined;
}
