import { digestOf } from '../../keys/digest.ts';
import type { Schema } from '../../spec/json-schema.ts';
import type { Parameters } from '../../spec/parameters.ts';
import { SCHEMAS } from '../../spec/schemas.ts';
import { UNCACHED } from '../answer.ts';
import type { EndpointResponse } from '../contract.ts';
import type { Item, Listed } from './operation.ts';
import { type ListForm, PAGE_LIMIT } from './operation-contract.ts';
import { invalidParameters } from './parameters.ts';

/** The values of an item that the order of a list is by, the last one unique: where a page ends. */
export type Position = readonly (string | number | null)[];

/** The part of a list that a request wants. */
export interface Page {
  readonly limit: number;
  /** The last item of the page before; undefined for the first page. */
  readonly after: Position | undefined;
  /** The member to sort by; `''` where the contract names none. */
  readonly sort: string;
  readonly descending: boolean;
}

/** @throws Problem invalid_parameter for a cursor of another list, order or filter */
export function pageOf(form: ListForm, parameters: Parameters): Page {
  const { limit, cursor, sort = form.sort?.[0] ?? '' } = parameters;
  return {
    limit: limit === undefined ? PAGE_LIMIT.default : Number(limit),
    after: cursor === undefined ? undefined : positionIn(cursor, questionOf(form, parameters)),
    sort: sort.replace(/^-/u, ''),
    descending: sort.startsWith('-'),
  };
}

/** Parameters that may differ from page to page. */
const OF_PAGE: ReadonlySet<string> = new Set(['cursor', 'limit', 'fields']);
const QUESTION_LENGTH = 8;

/** Returns a digest of the list, its order and its filters: a cursor fits the list that it comes from. */
function questionOf({ name }: ListForm, parameters: Parameters): string {
  const asked = Object.keys(parameters).filter((each) => !OF_PAGE.has(each));
  const question = [name, ...asked.toSorted().map((each) => [each, parameters[each]])];
  return digestOf(JSON.stringify(question)).slice(0, QUESTION_LENGTH);
}

function positionIn(cursor: string, question: string): Position {
  const position = cursor.startsWith(question) ? decoded(cursor.slice(QUESTION_LENGTH)) : undefined;
  if (position !== undefined) return position;
  throw invalidParameters([
    { pointer: 'cursor', detail: 'must be the next of an answer to the same request, with the same filters' },
  ]);
}

function decoded(text: string): Position | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Array.isArray(value) && value.length > 0 && value.every(isPart) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isPart = (value: unknown): value is Position[number] =>
  value === null || typeof value === 'string' || Number.isSafeInteger(value);

/** Renders a page. */
export function rendersList(
  form: ListForm,
  parameters: Parameters,
  { items, next, estimated_total }: Listed,
): EndpointResponse {
  const cursor =
    next === undefined
      ? undefined
      : questionOf(form, parameters) + Buffer.from(JSON.stringify(next)).toString('base64url');
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...UNCACHED },
    body: JSON.stringify({
      items: items.map((item) => selectFields(form.item, parameters, item)),
      next: cursor,
      estimated_total,
    }),
  };
}

const REFERENCE = '#/components/schemas/';

function membersOf(schema: Schema): readonly string[] {
  const { $ref } = schema;
  const named = $ref === undefined ? schema : SCHEMAS[$ref.slice(REFERENCE.length) as keyof typeof SCHEMAS];
  return Object.keys(('properties' in named ? named.properties : undefined) ?? {});
}

/** Returns the members that `fields` names. @throws Problem invalid_parameter for one that items do not have */
export function selectFields(schema: Schema, { fields }: Parameters, item: Item): Item {
  if (fields === undefined) return item;
  const wanted = fields.split(',');
  const known = membersOf(schema);
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw invalidParameters([
      { pointer: 'fields', detail: `must name members of the item: ${known.join(', ')}` },
    ]);
  return Object.fromEntries(wanted.flatMap((name) => (name in item ? [[name, item[name]]] : [])));
}
