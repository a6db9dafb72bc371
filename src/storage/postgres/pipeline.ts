import type { BoundStatement, Row, Scalar, Statement, StatementResult, Value } from './statement.ts';

/** The messages of the extended query protocol that a pipeline sends (PostgreSQL documentation, "Message Formats"). */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { name: string; text: string; types: readonly number[] }): void;
  bind(message: { statement: string; values: readonly (string | null)[] }): void;
  describe(message: { type: 'P' | 'S'; name: string }): void;
  execute(message: { portal: string; rows: number }): void;
  close(message: { type: 'P' | 'S'; name: string }): void;
  sync(): void;
}

export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The statements that a connection has prepared, with their fields. `uncertain`: the server has not answered yet. */
export type Prepared = Map<string, readonly Field[] | 'uncertain'>;

const BOOLEAN = 16;
/** int8, int2, int4. Every value that the program stores is exact in a JavaScript number. */
const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23]);

/**
 * Sends statements together and receives their results in one round trip. Without a `Sync` between them they are one
 * transaction, which commits at the end: when it resolves, everything is durable. If the server refuses one statement,
 * nothing has happened.
 */
export class Pipeline {
  readonly answered: Promise<readonly StatementResult[]>;
  readonly #statements: readonly BoundStatement[];
  readonly #prepared: Prepared;
  readonly #results: StatementResult[] = [];
  #fields: readonly Field[] = [];
  #row: Statement['row'];
  #rows: Row[] = [];
  #resolve: (outcomes: readonly StatementResult[]) => void = () => undefined;
  #reject: (reason: Error) => void = () => undefined;

  constructor(statements: readonly BoundStatement[], prepared: Prepared) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A caller that stopped waiting at its deadline has its own error already.
    this.answered.catch(() => undefined);
    this.#expect();
  }

  submit(wire: Wire): void {
    const parsed = new Set<string>();
    wire.stream.cork();
    for (const { statement, values } of this.#statements) {
      const { name, text } = statement;
      const known = this.#prepared.get(name);
      if (!Array.isArray(known) && !parsed.has(name)) {
        if (known === 'uncertain') wire.close({ type: 'S', name });
        wire.parse({ name, text, types: [] });
        this.#prepared.set(name, 'uncertain');
      }
      wire.bind({ statement: name, values: values.map(inText) });
      if (!Array.isArray(known)) wire.describe({ type: 'P', name: '' });
      parsed.add(name);
      wire.execute({ portal: '', rows: 0 });
    }
    wire.sync();
    wire.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#fields = fields;
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(this.#row === undefined ? rowOf(this.#fields, fields) : this.#row(fields));
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const { statement } = this.#statements[this.#results.length] ?? {};
    if (statement !== undefined) this.#prepared.set(statement.name, this.#fields);
    this.#results.push({ rows: this.#rows, changed: Number(/\d+$/u.exec(text)?.[0] ?? 0) });
    this.#expect();
  }

  handleReadyForQuery(): void {
    if (this.#results.length === this.#statements.length) this.#resolve(this.#results);
    else this.#reject(new Error('the database did not answer every statement'));
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}

  #expect(): void {
    const next = this.#statements[this.#results.length]?.statement;
    const known = this.#prepared.get(next?.name ?? '');
    this.#row = next?.row;
    this.#fields = Array.isArray(known) ? known : [];
    this.#rows = [];
  }
}

function rowOf(fields: readonly Field[], values: readonly (string | null)[]): Row {
  const row: Record<string, Scalar> = {};
  for (let index = 0; index < fields.length; index += 1) {
    const { name, dataTypeID } = fields[index] as Field;
    row[name] = scalar(values[index] ?? null, dataTypeID);
  }
  return row;
}

function scalar(text: string | null, type: number): Scalar {
  if (text === null) return null;
  if (INTEGERS.has(type)) return Number(text);
  return type === BOOLEAN ? text === 't' : text;
}

function inText(value: Value): string | null {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : textArray(value);
}

/** PostgreSQL documentation, "Array Input and Output Syntax". */
function textArray(values: readonly (string | null)[]): string {
  const quoted = values.map((value) =>
    value === null ? 'NULL' : `"${value.replaceAll(/["\\]/gu, '\\$&')}"`,
  );
  return `{${quoted.join(',')}}`;
}
