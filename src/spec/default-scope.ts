import { isAdminScope } from './admin-scopes.ts';
import type { RegistrationPrivileges } from './registration-privileges.ts';

/** The parts of a client that its default scope follows from. */
export interface DefaultScopeSource {
  /** JSON text of the privileges that its registrant had. */
  readonly privileges: string;
  readonly registered_via: string;
}

const NONE: readonly string[] = [];

/** Registrants whose clients get no default scope: the operator, and superiors in a federation, say what they mean. */
const DELIBERATE = /^(?:master:|admin:|cli$|federation:)/;

/**
 * Returns the scope values that a client gets if it registers no `scope`: all that its registrant was allowed, where that is a
 * list (decision 43). RFC 7591 §2: "an authorization server MAY register a client with a default set of scopes". `offline_access`
 * alone is no scope to work with: such a client has none, and may ask for what every client may.
 */
export function defaultScope({ privileges, registered_via }: DefaultScopeSource): readonly string[] {
  if (DELIBERATE.test(registered_via)) return NONE;
  if (last.privileges !== privileges) last = { privileges, scope: scopeOf(privileges) };
  return last.scope;
}

/** Clients that were registered alike have the same privileges, and reading their text takes a microsecond. */
let last = { privileges: '{}', scope: NONE };

function scopeOf(privileges: string): readonly string[] {
  const { scope } = JSON.parse(privileges) as Partial<RegistrationPrivileges>;
  if (scope === undefined || scope === 'any') return NONE;
  const values = scope.filter((value) => !isAdminScope(value));
  return values.some((value) => value !== 'offline_access') ? values : NONE;
}
