import type { JsonValue } from '../../spec/json.ts';
import { isArray } from './json-set.ts';

/**
 * §6.1.3.1.8: `scope` "represented by a string of space-separated string values, is to be regarded and processed as a
 * string array by policy operators".
 */
export function asOperand(parameter: string, value: JsonValue): JsonValue {
  if (parameter !== 'scope' || typeof value !== 'string') return value;
  return value.split(' ').filter((word) => word !== '');
}

/** "The resulting `scope` metadata parameter is a space-separated string". */
export function asParameter(parameter: string, value: JsonValue): JsonValue {
  const isWords = parameter === 'scope' && isArray(value) && value.every((word) => typeof word === 'string');
  return isWords ? value.join(' ') : value;
}
