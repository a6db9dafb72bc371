import type { JsonValue } from '../../spec/json.ts';
import { RELYING_PARTY } from '../entity-statement.ts';
import { type JsonMembers, sameJson } from '../json-value.ts';
import type { RegistrationDialect } from './registration-request.ts';

export interface RegistrationOutcome {
  /** The entity identifier of this server. */
  readonly issuer: string;
  /** The entity identifier of the relying party. */
  readonly relyingParty: string;
  /** Seconds since the Unix epoch. */
  readonly issued_at: number;
  readonly expires_at: number;
  readonly trust_anchor: string;
  readonly immediate_superior: string;
  /** The relying party's metadata, as in its statement. */
  readonly submitted: JsonMembers;
  /** The client information: the registered metadata, `client_id` and a secret, if the client has one. */
  readonly registered: JsonMembers;
}

/** The claims and the header to sign with a federation key, and the content type of the response. */
export interface RegistrationStatement {
  readonly claims: JsonMembers;
  readonly header: { readonly typ?: string };
  readonly contentType: string;
}

/**
 * Returns the response to an explicit registration. The interface's dialect has no `typ`, because deployed relying parties
 * reject the Final one. It has `metadata` and `trust_anchor` beside `metadata_policy`, because they read nothing else
 * (decision 34). The Final content type has no parameter, because a known client compares it exactly.
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
    metadata: { [RELYING_PARTY]: outcome.registered },
  };
  if (dialect === 'final') {
    const typ = 'explicit-registration-response+jwt';
    return { claims, header: { typ }, contentType: `application/${typ}` };
  }
  const metadata_policy = { [RELYING_PARTY]: differencePolicy(outcome.submitted, outcome.registered) };
  return {
    claims: { ...claims, metadata_policy },
    header: {},
    contentType: 'application/jose;charset=UTF-8',
  };
}

/**
 * Returns the policy of `value` operators that turns the submitted metadata into the registered metadata. It has a member for
 * each changed or new parameter, and null for each that was not registered (interface, Registration statement;
 * §6.1.3.1.1).
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
