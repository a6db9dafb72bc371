import type { JsonValue } from '../../spec/json.ts';
import { isObject } from './statement-check.ts';

/** RFC 5280 §4.2.1.10: a host, or a domain that begins with a period. */
const NAME = /^\.?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;

/** Why `constraints` cannot be applied (§6.2); parameters that are not known are no problem: they "MUST be ignored". */
export function constraintsFormProblem(constraints: JsonValue): string | undefined {
  if (!isObject(constraints)) return 'has constraints that are not an object';
  const { max_path_length, naming_constraints, allowed_entity_types } = constraints;
  return (
    pathLengthProblem(max_path_length) ??
    namingProblem(naming_constraints) ??
    entityTypesProblem(allowed_entity_types)
  );
}

/** §6.2.1: an "Integer … greater than or equal to zero". */
function pathLengthProblem(value: JsonValue | undefined): string | undefined {
  return value === undefined || (Number.isSafeInteger(value) && Number(value) >= 0)
    ? undefined
    : 'has a max_path_length that is not a whole number from 0';
}

function namingProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) return 'has naming_constraints that are not an object';
  return [value['permitted'], value['excluded']].every(isNames)
    ? undefined
    : 'has naming_constraints that are not arrays of hosts and domains';
}

function isNames(value: JsonValue | undefined): boolean {
  if (value === undefined) return true;
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && NAME.test(name));
}

/** §6.2.3: federation_entity "is always allowed and MUST NOT be included in the constraint". */
function entityTypesProblem(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  const isTypes = Array.isArray(value) && value.every((type) => typeof type === 'string');
  if (!isTypes) return 'has allowed_entity_types that are not an array of entity types';
  return value.includes('federation_entity')
    ? 'has federation_entity among its allowed_entity_types'
    : undefined;
}
