/** What a parameter of a statement may be: text, a number, null, or a list of texts (numbers in a list are written out). */
export type Value = string | number | null | readonly (string | null)[];

/** A value of a column. */
export type Scalar = string | number | boolean | null;
export type Row = Readonly<Record<string, Scalar>>;

/** SQL that is prepared once on each connection. Written with named parameters (`:name`). */
export interface Statement {
  readonly name: string;
  /** With the parameters by number. */
  readonly text: string;
  /** The parameters in the order of their numbers. */
  readonly parameters: readonly string[];
}

/** A statement with its values: one step of a transaction. */
export interface Question {
  readonly statement: Statement;
  readonly values: readonly Value[];
}

export interface Outcome {
  readonly rows: readonly Row[];
  /** How many rows the statement changed, where it changes any. */
  readonly changed: number;
}

const NAMED = /(?<![:\w]):([a-z_][a-z0-9_]*)/gu;

/** Every statement of the program, as its module is loaded: all that a database must understand (`dialect.test.ts`). */
export const STATEMENTS = new Map<string, Statement>();

/** @param name of the prepared statement: unique in the program */
export function statement(name: string, sql: string): Statement {
  if (STATEMENTS.has(name)) throw new Error(`two statements have the name ${name}`);
  const parameters: string[] = [];
  const text = sql.replaceAll(NAMED, (_match, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  const made = { name, text: text.replaceAll(/\s+/gu, ' ').trim(), parameters };
  STATEMENTS.set(name, made);
  return made;
}

/** Thrown for what cannot be stored or must not be done, before anything was changed. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** @throws Refused for a value that the database has no place for, such as text with a NUL */
export function question(asked: Statement, values: Readonly<Record<string, Value | undefined>>): Question {
  const inOrder = asked.parameters.map((parameter) => {
    const value = values[parameter];
    if (value === undefined || !isStorable(value))
      throw new Refused(`${asked.name} cannot store its ${parameter}`);
    return value;
  });
  return { statement: asked, values: inOrder };
}

function isStorable(value: Value): boolean {
  if (typeof value === 'string') return !value.includes('\0');
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return (
    value === null ||
    (Array.isArray(value) &&
      value.every((text) => text === null || (typeof text === 'string' && isStorable(text))))
  );
}
