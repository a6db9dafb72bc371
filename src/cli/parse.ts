import { parseArgs } from 'node:util';
import { durationMs } from '../spec/duration.ts';
import { suggestion } from '../spec/nearest.ts';
import type { Command, Operand, Option, ParsedCall } from './command.ts';
import { calledWrongly } from './failure.ts';

/** `--help` belongs to every command. It is answered before a command line is parsed. */
const HELP_OPTIONS: ReadonlySet<string> = new Set(['--help', '-h']);

/**
 * One thumbprint of 64 begins with "-" (RFC 7638 §3.5: base64url of 32 octets), and so does one token of 64 that `chancery
 * init` makes. It is no option: no option is as long.
 */
const DASHED_THUMBPRINT = /^-[A-Za-z0-9_-]{42}$/;
/** Stands before such a thumbprint while Node's parser reads the line. No word on a command line can have it. */
const NOT_AN_OPTION = '\0';

type Values = Readonly<Record<string, unknown>>;

export interface Parsed {
  readonly options: Values;
  readonly operands: ParsedCall['operands'];
}

/** Returns whether `--help` or `-h` stands among the words before `--`. */
export function asksForHelp(parameters: readonly string[]): boolean {
  const end = parameters.indexOf('--');
  return (end === -1 ? parameters : parameters.slice(0, end)).some((word) => HELP_OPTIONS.has(word));
}

/**
 * Returns the values of a command line by the names that the command declares. Throws CommandFailure with exit code 2 for
 * an unknown option, a value out of range, and an operand that is missing or too many.
 */
export function parseCall(command: Command, parameters: readonly string[]): Parsed {
  const { tokens, positionals } = parseArgs({
    args: parameters.map((word) => (DASHED_THUMBPRINT.test(word) ? NOT_AN_OPTION + word : word)),
    options: Object.fromEntries(
      Object.entries(command.options).map(([name, option]) => [name, rawOption(option)]),
    ),
    // An error that Node reports would not list the options of the command.
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const texts = given.get(token.name) ?? [];
    given.set(token.name, [...texts, textOf(command, token)]);
  }
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [name, valueOf(name, option, given.get(name))]),
  );
  return { options, operands: operandsOf(command, positionals.map(asGiven), given) };
}

function asGiven(word: string): string {
  return word.startsWith(NOT_AN_OPTION) ? word.slice(NOT_AN_OPTION.length) : word;
}

function rawOption({ kind, short }: Option): {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
} {
  return { type: kind === 'flag' ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

/** Returns the text of an option on the command line; it is empty for a flag. */
function textOf(command: Command, { name, rawName, value, inlineValue }: OptionToken): string {
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  const isShort = !rawName.startsWith('--');
  if (option === undefined || (isShort && rawName !== `-${option.short}`))
    throw unknownOption(rawName, command);
  if (option.kind === 'flag') {
    if (value !== undefined) throw calledWrongly(`--${name} takes no value, found ${JSON.stringify(value)}`);
    return '';
  }
  const placeholder = placeholderOf(option);
  if (value === undefined) throw calledWrongly(`--${name} needs a value: --${name} ${placeholder}`);
  // `--config --json` is more often a slip than a file of the name "--json".
  if (inlineValue !== true && value.length > 1 && value.startsWith('-'))
    throw calledWrongly(`--${name} needs a value; write --${name}=${value} if ${value} is the value`);
  return asGiven(value);
}

function unknownOption(rawName: string, { options }: Command): Error {
  const names = [...Object.keys(options).map((name) => `--${name}`), '--help'];
  const meant = suggestion(rawName, names);
  const list = `options of this command: ${names.join(', ')}`;
  return calledWrongly(`unknown option ${rawName}${meant === '' ? `; ${list}` : `${meant} (${list})`}`);
}

/** Returns the placeholder for an option's value in the help. */
export function placeholderOf(option: Exclude<Option, { kind: 'flag' }>): string {
  if (option.kind === 'text') return option.value;
  if (option.kind === 'choice') return option.placeholder ?? option.values.join('|');
  return option.kind === 'seconds' ? 'DURATION' : 'N';
}

function valueOf(name: string, option: Option, given: readonly string[] | undefined): unknown {
  if (option.kind === 'flag') {
    if (given !== undefined || option.required !== true) return given !== undefined;
    throw calledWrongly(`--${name} is missing. ${option.words}`);
  }
  if (option.kind === 'text' && option.repeated === true) return given;
  const text = given?.at(-1);
  if (text !== undefined) return readValue(name, option, text);
  if (option.kind === 'text' && option.required === true) throw calledWrongly(`--${name} is missing`);
  return 'default' in option ? option.default : undefined;
}

function readValue(name: string, option: Exclude<Option, { kind: 'flag' }>, text: string): string | number {
  switch (option.kind) {
    case 'text':
      return text;
    case 'choice':
      if (option.values.includes(text)) return text;
      throw calledWrongly(`--${name} must be ${alternatives(option.values)}, found ${JSON.stringify(text)}`);
    case 'seconds':
      return secondsOf(name, text);
    case 'count':
      if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
      throw calledWrongly(`--${name} must be a positive number, found ${JSON.stringify(text)}`);
  }
}

function secondsOf(name: string, text: string): number {
  const seconds = /^[0-9]{1,10}$/.test(text) ? Number(text) : (durationMs(text) ?? Number.NaN) / 1000;
  if (Number.isSafeInteger(seconds)) return seconds;
  const found = JSON.stringify(text);
  throw calledWrongly(`--${name} must be a duration such as 90s, 10m or 30d, or seconds, found ${found}`);
}

function alternatives(values: readonly string[]): string {
  if (values.length > 3) return `one of ${values.join(', ')}`;
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

function operandsOf(
  { operands }: Command,
  positionals: readonly string[],
  given: ReadonlyMap<string, unknown>,
): Parsed['operands'] {
  const expected = Object.entries(operands).filter(
    ([, { unless }]: readonly [string, Operand]) => unless === undefined || !given.has(unless),
  );
  const last = expected.at(-1);
  const several = last?.[1].repeated === true ? last[0] : undefined;
  const extra = several === undefined ? positionals[expected.length] : undefined;
  if (extra !== undefined) throw calledWrongly(`unexpected argument ${JSON.stringify(extra)}`);
  const missing = expected.slice(positionals.length).find(([, { optional }]) => optional !== true);
  if (missing !== undefined) throw calledWrongly(`${missing[0].toUpperCase()} is missing`);
  const single = several === undefined ? positionals : positionals.slice(0, expected.length - 1);
  const named = single.map((text, index) => [expected[index]?.[0] ?? '', text] as const);
  return {
    ...Object.fromEntries(named),
    ...(several === undefined ? {} : { [several]: positionals.slice(single.length) }),
  };
}
