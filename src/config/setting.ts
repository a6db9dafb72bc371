import * as z from 'zod/mini';

/**
 * Whose value holds for a tenant beside the default one. `process`: there is only the process's. `inherited`: the
 * tenant's, else the process's. `own`: the tenant's, else the default; so it is with everything that lets somebody in.
 */
export type ForTenants = 'process' | 'inherited' | 'own';

/** One setting: the loader, `config print` and the documentation all read this row. */
export interface Setting<Value = unknown> {
  /** Takes what YAML gives, or what `fromText` made of an environment variable. */
  readonly schema: z.ZodMiniType<Value>;
  readonly type: string;
  readonly unit: string | undefined;
  /** Absent where the default depends on the mode or on other settings; `defaultWords` says how. */
  readonly default: Value | undefined;
  readonly defaultWords: string | undefined;
  /** A secret is masked wherever settings are shown, and may also come from the file that `…_FILE` names. */
  readonly secret: boolean;
  readonly required: 'production' | undefined;
  /** What holds of every valid value, as words that follow the setting's name. */
  readonly rule: string;
  readonly description: string;
  /** Made of maps: each problem in it is reported by its own path, and without the value. */
  readonly structured?: true;
  readonly tenants: ForTenants;
  /** The value that a text means; a text that means none is given back as it is, for the schema to refuse. */
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

type Kind<Value> = Pick<Setting<Value>, 'schema' | 'type' | 'rule' | 'fromText' | 'structured'> & {
  readonly unit?: string;
};

function setting<Value>(words: Words<Value>, kind: Kind<Value>): Setting<Value> {
  return {
    ...kind,
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

export function integer(words: IntegerWords): Setting<number> {
  return setting(words, {
    schema: z.int().check(z.gte(words.min), z.lte(words.max)),
    type: 'integer',
    ...(words.unit === undefined ? {} : { unit: words.unit }),
    rule: `must be an integer from ${words.min} to ${words.max}`,
    fromText: (text) => (/^-?\d{1,15}$/u.test(text) ? Number(text) : text),
  });
}

/** A duration in whole seconds. */
export function seconds(words: Omit<IntegerWords, 'unit'>): Setting<number> {
  return integer({ ...words, unit: 'seconds' });
}

export function flag(words: Words<boolean>): Setting<boolean> {
  return setting(words, {
    schema: z.boolean(),
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
    schema: z.enum([first, ...more]),
    type: words.values.join(' | '),
    rule: `must be one of ${words.values.join(', ')}`,
    fromText: (text) => text,
  });
}

interface TextRule {
  /** A test that JSON Schema can show as `pattern`. */
  readonly pattern: RegExp;
  readonly rule: string;
}

export function text(words: Words<string> & TextRule): Setting<string> {
  return setting(words, {
    schema: z.string().check(z.regex(words.pattern)),
    type: 'text',
    rule: words.rule,
    fromText: (given) => given,
  });
}

interface Items extends Words<readonly string[]>, TextRule {
  readonly items: string;
  /** What a pattern cannot say. */
  readonly accepts?: (item: string) => boolean;
  /** The spelling in which an accepted item is kept. */
  readonly keep?: (item: string) => string;
}

export function list(words: Items): Setting<readonly string[]> {
  const keep = words.keep ?? ((item) => item);
  const item = z.string().check(z.regex(words.pattern), z.refine(words.accepts ?? (() => true)));
  const schema = z.pipe(
    z.array(item),
    z.transform((items): readonly string[] => items.map(keep)),
  );
  return setting(words, { schema, type: `list of ${words.items}`, rule: words.rule, fromText: splitText });
}

/** What a list of digests of tokens has in common with every other. */
export const SHA256_HEX = {
  items: 'SHA-256 digests',
  pattern: /^(?:[\w.-]{1,40}:)?[0-9a-fA-F]{64}$/u,
  rule: 'must be a list of SHA-256 digests, each as 64 hex digits, with a label and a colon in front or without',
  keep: (entry: string) => entry.slice(0, -64) + entry.slice(-64).toLowerCase(),
  default: [],
  // Not a secret by itself; but where a digest belongs, a token gets pasted, and that must not be shown.
  secret: true,
  tenants: 'own',
} as const;

interface Maps<Item> extends Words<readonly Item[]> {
  readonly items: string;
  /** Of the whole list; its errors are words that follow the path of what they are about. */
  readonly schema: z.ZodMiniType<readonly Item[]>;
  readonly rule: string;
}

/** A list of maps. In an environment variable it is JSON text. */
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

/** Items of a list in a text: separated by commas or line ends, without surrounding white space. */
export function splitText(given: string): string[] {
  return given
    .split(/[,\r\n]/u)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
