import type { JsonValue } from '../spec/json.ts';
import type { SoundStatement } from './entity-statement.ts';
import { isArray, isObject, type JsonMembers } from './json-value.ts';
import type { EntityMetadata } from './metadata-policy/apply-policy.ts';
import type { ChainReason } from './reason.ts';

/** RFC 5280 §4.2.1.10: a host, or a domain that begins with a period. */
const NAME = /^\.?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/**
 * Returns why `constraints` cannot be applied (§6.2), in words that follow "the entity statement". Ignores unknown
 * parameters: they "MUST be ignored".
 */
export function constraintsFormProblem(constraints: JsonValue): string | undefined {
  if (!isObject(constraints)) return 'has constraints that are not an object';
  const { max_path_length, naming_constraints, allowed_entity_types } = constraints;
  return (
    pathLengthFormProblem(max_path_length) ??
    namingFormProblem(naming_constraints) ??
    entityTypesFormProblem(allowed_entity_types)
  );
}

/** §6.2.1: an "Integer … greater than or equal to zero". */
function pathLengthFormProblem(value: JsonValue | undefined): string | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)
    ? undefined
    : 'has a max_path_length that is not a whole number of 0 or more';
}

function namingFormProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) return 'has naming_constraints that are not an object';
  return [value['permitted'], value['excluded']].every(isNames)
    ? undefined
    : 'has naming_constraints that are not arrays of hosts and domains';
}

function isNames(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  return isArray(value) && value.every((name) => typeof name === 'string' && NAME.test(name));
}

/** §6.2.3: federation_entity "is always allowed and MUST NOT be included in the constraint". */
function entityTypesFormProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const isTypes = isArray(value) && value.every((type) => typeof type === 'string');
  if (!isTypes) return 'has allowed_entity_types that are not an array of entity types';
  return value.includes('federation_entity')
    ? 'has allowed_entity_types with federation_entity, which is always allowed'
    : undefined;
}

/** A subordinate statement and its place in a chain. */
export interface Constrained {
  readonly statement: SoundStatement;
  /** The number of intermediates between the issuer of the statement and the subject of the chain. */
  readonly intermediates: number;
  /** The identifiers of the statement's subject and of all entities below it, down to the subject of the chain. */
  readonly subordinates: readonly string[];
}

/** A constraint that a chain meets or does not meet. */
export interface Constraint {
  /** The section of OpenID Federation 1.0. */
  readonly section: string;
  readonly name: string;
  readonly code: ChainReason;
  /** Returns a sentence, or undefined if the chain complies or the statement has no such constraint. */
  readonly problem: (constrained: Constrained) => string | undefined;
}

export const CONSTRAINTS: readonly Constraint[] = [
  {
    section: '§6.2.1',
    name: 'max_path_length',
    code: 'constraint_path_length',
    problem: ({ statement, intermediates }) => {
      const max = constraintsOf(statement)['max_path_length'];
      return typeof max === 'number' && intermediates > max
        ? `${statement.iss} allows ${max} intermediates below it, and the chain has ${intermediates}`
        : undefined;
    },
  },
  {
    section: '§6.2.2',
    name: 'naming_constraints',
    code: 'constraint_naming',
    problem: ({ statement, subordinates }) => {
      const naming = constraintsOf(statement)['naming_constraints'];
      if (!isObject(naming)) return undefined;
      const { permitted, excluded } = naming;
      // "Any name matching a restriction in the excluded list is invalid, regardless of … the permitted list."
      const refused = subordinates.find((entityId) => {
        const { hostname } = new URL(entityId);
        return matches(hostname, excluded) || (permitted !== undefined && !matches(hostname, permitted));
      });
      return refused === undefined ? undefined : `${statement.iss} does not allow the name of ${refused}`;
    },
  },
];

/**
 * Removes the entity types that a statement does not allow. §6.2.3: "all Entity Types that are not listed … MUST be
 * removed", after the superior's metadata and before policies. "The `federation_entity` Entity Type MUST NOT be removed."
 */
export function withAllowedEntityTypes(metadata: EntityMetadata, statement: SoundStatement): EntityMetadata {
  const allowed = constraintsOf(statement)['allowed_entity_types'];
  if (!isArray(allowed)) return metadata;
  return new Map([...metadata].filter(([type]) => type === 'federation_entity' || allowed.includes(type)));
}

function constraintsOf({ jwt: { claims } }: SoundStatement): JsonMembers {
  const { constraints } = claims;
  return isObject(constraints) ? constraints : {};
}

function matches(host: string, names: JsonValue | undefined): boolean {
  return isArray(names) && names.some((name) => typeof name === 'string' && matchesName(host, name));
}

/** Says whether one of the names of a naming constraint covers the host of an entity identifier (§6.2.2). */
export function matchesAnyName(entityId: string, names: readonly string[]): boolean {
  return matches(new URL(entityId).hostname, names);
}

/**
 * Compares a host with a name constraint. RFC 5280 §4.2.1.10, of URIs: "When the constraint begins with a period, it MAY be
 * expanded with one or more labels"; ".example.com" matches neither example.com nor evilexample.com.
 */
function matchesName(host: string, name: string): boolean {
  const wanted = name.toLowerCase();
  return wanted.startsWith('.') ? host.length > wanted.length && host.endsWith(wanted) : host === wanted;
}
