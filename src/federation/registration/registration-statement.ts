import type { JsonValue } from '../../spec/json.ts';
import { RELYING_PARTY } from '../entity-statement.ts';
import { type JsonMembers, sameJson } from '../json-value.ts';
import type { EntityMetadata } from '../metadata-policy/apply-policy.ts';
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
  /** The relying party's metadata after all policies. */
  readonly resolved: EntityMetadata;
  /** The parameters that superiors decide. */
  readonly decided: ReadonlySet<string>;
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
  const registered = withDecided(outcome);
  const claims = {
    iss: outcome.issuer,
    sub: outcome.relyingParty,
    aud: outcome.relyingParty,
    iat: outcome.issued_at,
    exp: outcome.expires_at,
    trust_anchor: outcome.trust_anchor,
    authority_hints: [outcome.immediate_superior],
    metadata: { ...otherTypes(outcome.resolved), [RELYING_PARTY]: registered },
  };
  if (dialect === 'final') {
    const typ = 'explicit-registration-response+jwt';
    return { claims, header: { typ }, contentType: `application/${typ}` };
  }
  const metadata_policy = { [RELYING_PARTY]: differencePolicy(outcome.submitted, registered) };
  return {
    claims: { ...claims, metadata_policy },
    header: {},
    contentType: 'application/jose;charset=UTF-8',
  };
}

/** Members that this server alone decides. */
const SERVER_OWNED: ReadonlySet<string> = new Set([
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
]);

/**
 * Adds the parameters that superiors decide and this server does not store. A relying party applies the policies to the
 * response, and must refuse one that does not comply (§12.2.5 5).
 */
function withDecided({ registered, resolved, decided }: RegistrationOutcome): JsonMembers {
  const parameters = [...(resolved.get(RELYING_PARTY) ?? [])].filter(
    ([name]) => decided.has(name) && !SERVER_OWNED.has(name),
  );
  return { ...Object.fromEntries(parameters), ...registered };
}

/** Returns the resolved metadata of the other entity types: the relying party compares the entity types (§12.2.5 5). */
function otherTypes(resolved: EntityMetadata): JsonMembers {
  return Object.fromEntries(
    [...resolved]
      .filter(([type]) => type !== RELYING_PARTY)
      .map(([type, parameters]) => [type, Object.fromEntries(parameters)]),
  );
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
