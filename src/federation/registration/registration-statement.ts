import type { JsonValue } from '../../spec/json.ts';
import { type JsonMembers, sameJson } from '../json-value.ts';
import type { RegistrationDialect } from './registration-request.ts';

const ENTITY_TYPE = 'openid_relying_party';

export interface RegistrationOutcome {
  /** The entity identifiers of this server and of the relying party. */
  readonly issuer: string;
  readonly relyingParty: string;
  /** Seconds since the Unix epoch. */
  readonly issued_at: number;
  readonly expires_at: number;
  readonly trust_anchor: string;
  readonly immediate_superior: string;
  /** The relying party's metadata as its statement had it. */
  readonly submitted: JsonMembers;
  /** The client information: the registered metadata with `client_id` and, where there is one, its secret. */
  readonly registered: JsonMembers;
}

/** What is to be signed with a federation key, and how it is sent. */
export interface RegistrationStatement {
  readonly claims: JsonMembers;
  readonly header: { readonly typ?: string };
  readonly contentType: string;
}

/**
 * The answer to an explicit registration. In the interface's dialect it has no `typ`, since relying parties in the field
 * refuse the Final one, and `metadata` and `trust_anchor` beside its `metadata_policy`, since those read nothing else
 * (decision 34). The Final content type has no parameter: a known client compares it exactly.
 */
export function registrationStatement(
  dialect: RegistrationDialect,
  outcome: RegistrationOutcome,
): RegistrationStatement {
  const claims = {
    iss: outcome.issuer,
    sub: outcome.relyingParty,
    aud: outcome.relyingParty,
    iat: outcome.issued_at,
    exp: outcome.expires_at,
    trust_anchor: outcome.trust_anchor,
    authority_hints: [outcome.immediate_superior],
    metadata: { [ENTITY_TYPE]: outcome.registered },
  };
  if (dialect === 'final') {
    const typ = 'explicit-registration-response+jwt';
    return { claims, header: { typ }, contentType: `application/${typ}` };
  }
  const metadata_policy = { [ENTITY_TYPE]: differencePolicy(outcome.submitted, outcome.registered) };
  return {
    claims: { ...claims, metadata_policy },
    header: {},
    contentType: 'application/jose;charset=UTF-8',
  };
}

/**
 * The policy of `value` operations that makes of what was submitted what was registered: a member for each that differs
 * or is new, with null for one that was not taken over (interface, Registration statement; §6.1.3.1.1).
 */
export function differencePolicy(submitted: JsonMembers, registered: JsonMembers): JsonMembers {
  const changed = Object.entries(registered).filter(([name, value]) => {
    const before = memberOf(submitted, name);
    return before === undefined || !sameJson(before, value);
  });
  const dropped = Object.keys(submitted).filter((name) => memberOf(registered, name) === undefined);
  return Object.fromEntries([
    ...changed.map(([name, value]) => [name, { value }] as const),
    ...dropped.map((name) => [name, { value: null }] as const),
  ]);
}

function memberOf(members: JsonMembers, name: string): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}
