import type { Schema } from '../../spec/json-schema.ts';
import { type FormLimits, type Parameters, parseParameters } from '../../spec/parameters.ts';
import { type Mistaken, Problem } from '../../spec/problems.ts';
import { schemaMistakes } from '../../spec/schema-check.ts';
import { type OperationForm, queryOfOperation } from './operation-contract.ts';

/** Reads the query of an operation, whose form names every parameter. @throws Problem unknown_parameter, invalid_parameter */
export function readQuery(form: OperationForm, query: string, limits: FormLimits): Parameters {
  const known = queryOfOperation(form);
  const parameters = parseParameters(query, new Set(Object.keys(known)), limits);
  const unknown = [...new URLSearchParams(query).keys()].filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0) {
    const names = Object.keys(known);
    throw new Problem(
      'unknown_parameter',
      names.length === 0
        ? 'this operation has no parameters'
        : `this operation has the parameters ${names.join(', ')} only`,
      { errors: [...new Set(unknown)].map((name) => ({ pointer: name, detail: 'is not known' })) },
    );
  }
  const errors = Object.entries(known).flatMap(([name, { schema }]) =>
    schema === undefined ? [] : mistakesOf(name, parameters[name], schema),
  );
  if (errors.length > 0) throw invalidParameters(errors);
  return parameters;
}

function mistakesOf(name: string, text: string | undefined, schema: Schema): readonly Mistaken[] {
  if (text === undefined) return [];
  return schemaMistakes(valueOf(text, schema), schema).map(({ detail }) => ({ pointer: name, detail }));
}

/** Returns the value that a text stands for in a schema; the text itself if it stands for none. */
function valueOf(text: string, { type }: Schema): string | number | boolean {
  if (type === 'integer' && /^-?\d{1,15}$/u.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

export function invalidParameters(errors: readonly Mistaken[]): Problem {
  return new Problem(
    'invalid_parameter',
    errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; '),
    { errors },
  );
}
