import type { JsonValue } from '../../spec/json.ts';
import { isObject } from '../statement-checks/statement-check.ts';
import type { Constraint } from './constraint.ts';

/** "Any name matching a restriction in the excluded list is invalid, regardless of … the permitted list." */
export const naming: Constraint = {
  section: '§6.2.2',
  name: 'naming_constraints',
  code: 'constraint_naming',
  problem: ({ statement, subordinates }) => {
    const { constraints } = statement.jwt.claims;
    const naming = isObject(constraints) ? constraints['naming_constraints'] : undefined;
    if (!isObject(naming)) return undefined;
    const { permitted, excluded } = naming;
    const refused = subordinates.find((entityId) => {
      const { hostname } = new URL(entityId);
      return matches(hostname, excluded) || (permitted !== undefined && !matches(hostname, permitted));
    });
    return refused === undefined ? undefined : `${statement.iss} does not allow the name of ${refused}`;
  },
};

function matches(host: string, names: JsonValue | undefined): boolean {
  return Array.isArray(names) && names.some((name) => typeof name === 'string' && matchesName(host, name));
}

/**
 * RFC 5280 §4.2.1.10, of URIs: "When the constraint begins with a period, it MAY be expanded with one or more labels";
 * ".example.com" is "not satisfied by" example.com, nor by evilexample.com.
 */
function matchesName(host: string, name: string): boolean {
  const wanted = name.toLowerCase();
  return wanted.startsWith('.') ? host.length > wanted.length && host.endsWith(wanted) : host === wanted;
}
