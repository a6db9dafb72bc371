import * as z from 'zod/mini';
import { DURATION, durationMs } from '../spec/duration.ts';

/**
 * Which value a tenant other than the default one uses. `process`: always the process's. `inherited`: the tenant's,
 * otherwise the process's. `own`: the tenant's, otherwise the default. Settings that grant access are `own`.
 */
export type ForTenants = 'process' | 'inherited' | 'own';

/** One setting. The loader, `config print` and the documentation read this row. */
export interface Setting<Value = unknown> {
  /** Accepts a value from YAML, or the result of `fromText` for an environment variable. */
  readonly schema: z.ZodMiniType<Value>;
  readonly type: string;
  readonly unit: string | undefined;
  /** Absent if the default depends on the mode or on other settings, as `defaultWords` says. */
  readonly default: Value | undefined;
  readonly defaultWords: string | undefined;
  /** Whether every output masks the value. A secret may also come from the file that `…_FILE` names. */
  readonly secret: boolean;
  readonly required: 'production' | undefined;
  /** The rule for valid values, as words that follow the setting's name. */
  readonly rule: string;
  readonly description: string;
  /** Whether the value consists of maps. Each problem in it is reported by its own path, and without the value. */
  readonly structured?: true;
  /** Whether the schema names lines of a text from a file, so that no blank line in front may be trimmed. */
  readonly countsLines?: true;
  readonly tenants: ForTenants;
  /** Returns the value that a text stands for, or the text itself if it stands for none: the schema refuses it. */
  readonly fromText: (text: string) => unknown;
}

interface Words<Value> {
  readonly default?: Value;
  readonly defaultWords?: string;
  readonly description: string;
  readonly secret?: boolean;
  readonly required?: 'production';
  readonly tenants?: ForTenants;
}

type Kind<Value> = Pick<Setting<Value>, 'type' | 'rule' | 'fromText' | 'structured'> & {
  readonly unit?: string;
  /** Makes the schema when a value is checked: a start has values for few of the settings. */
  readonly schema: () => z.ZodMiniType<Value>;
};

function setting<Value>(words: Words<Value>, { schema: makeSchema, ...kind }: Kind<Value>): Setting<Value> {
  let schema: z.ZodMiniType<Value> | undefined;
  return {
    ...kind,
    get schema() {
      schema ??= makeSchema();
      return schema;
    },
    unit: kind.unit,
    default: words.default,
    defaultWords: words.defaultWords,
    secret: words.secret ?? false,
    required: words.required,
    description: words.description,
    tenants: words.tenants ?? 'process',
  };
}

type IntegerWords = Words<number> & { readonly min: number; readonly max: number; readonly unit?: string };

const inRange = ({ min, max }: IntegerWords) => z.int().check(z.gte(min), z.lte(max));

export function integer(words: IntegerWords): Setting<number> {
  return setting(
    words,
    integers(words, () => inRange(words)),
  );
}

function integers(words: IntegerWords, schema: Kind<number>['schema']): Kind<number> {
  return {
    schema,
    type: 'integer',
    ...(words.unit === undefined ? {} : { unit: words.unit }),
    rule: `must be an integer from ${words.min} to ${words.max}`,
    fromText: (text) => (/^-?\d{1,15}$/u.test(text) ? Number(text) : text),
  };
}

/** Declares a duration in whole seconds. A text such as `10m` or `1h30m` stands for one. */
export function seconds(words: Omit<IntegerWords, 'unit'>): Setting<number> {
  return duration({ ...words, unit: 'seconds' }, 1000);
}

/** Declares a duration in milliseconds. A text such as `500ms` or `2s` stands for one. */
export function milliseconds(words: Omit<IntegerWords, 'unit'>): Setting<number> {
  return duration({ ...words, unit: 'milliseconds' }, 1);
}

function duration(words: IntegerWords, unitMs: number): Setting<number> {
  const kind = integers(words, () => {
    const units = z.pipe(
      z.string().check(z.regex(DURATION)),
      z.transform((text) => (durationMs(text) ?? Number.NaN) / unitMs),
    );
    return z.union([inRange(words), z.pipe(units, inRange(words))]);
  });
  return setting(words, {
    ...kind,
    rule: `${kind.rule}, or a duration such as ${unitMs === 1 ? '2s' : '10m or 1h30m'}`,
  });
}

export function flag(words: Words<boolean>): Setting<boolean> {
  return setting(words, {
    schema: () => z.boolean(),
    type: 'boolean',
    rule: 'must be true or false',
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
  });
}

export function choice<const Value extends string>(
  words: Words<Value> & { readonly values: readonly [Value, ...Value[]] },
): Setting<Value> {
  const [first, ...more] = words.values;
  return setting(words, {
    schema: () => z.enum([first, ...more]),
    type: words.values.join(' | '),
    rule: `must be one of ${words.values.join(', ')}`,
    fromText: (text) => text,
  });
}

interface TextRule {
  /** The rule as a pattern, which JSON Schema shows as `pattern`. */
  readonly pattern: RegExp;
  readonly rule: string;
}

export function text(words: Words<string> & TextRule): Setting<string> {
  return setting(words, {
    schema: () => z.string().check(z.regex(words.pattern)),
    type: 'text',
    rule: words.rule,
    fromText: (given) => given,
  });
}

interface Items extends Words<readonly string[]>, TextRule {
  readonly items: string;
  /** A check that a pattern cannot express. */
  readonly accepts?: (item: string) => boolean;
  /** Returns the canonical spelling of an accepted item. */
  readonly keep?: (item: string) => string;
}

export function list(words: Items): Setting<readonly string[]> {
  const keep = words.keep ?? ((item) => item);
  return setting(words, {
    schema() {
      const item = z.string().check(z.regex(words.pattern), z.refine(words.accepts ?? (() => true)));
      return z.pipe(
        z.array(item),
        z.transform((items): readonly string[] => items.map(keep)),
      );
    },
    type: `list of ${words.items}`,
    rule: words.rule,
    fromText: splitText,
  });
}

/** Members that all lists of token digests share. */
export const SHA256_HEX = {
  items: 'SHA-256 digests',
  pattern: /^(?:[\w.-]{1,40}:)?[0-9a-fA-F]{64}$/u,
  rule: 'must be a list of SHA-256 digests, each as 64 hex digits, with a label and a colon in front or without',
  keep: (entry: string) => entry.slice(0, -64) + entry.slice(-64).toLowerCase(),
  default: [],
  // A digest is no secret, but operators paste tokens here by mistake, and no output may show a token.
  secret: true,
  tenants: 'own',
} as const;

interface Maps<Item> extends Words<readonly Item[]> {
  readonly items: string;
  /** Makes the schema of the whole list. Each of its errors is words that follow the path of the refused value. */
  readonly schema: () => z.ZodMiniType<readonly Item[]>;
  readonly rule: string;
}

/** Declares a list of maps. In an environment variable it is JSON text. */
export function maps<Item>(words: Maps<Item>): Setting<readonly Item[]> {
  return setting(words, {
    schema: words.schema,
    type: `list of ${words.items}`,
    rule: words.rule,
    structured: true,
    fromText: jsonOf,
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the items of a text, which are separated by commas or line ends, without surrounding white space. */
export function splitText(given: string): string[] {
  return given
    .split(/[,\r\n]/u)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
