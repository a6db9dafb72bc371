import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_VARIABLE } from '../config/environment.ts';
import type { Command } from './command.ts';
import { ALL_NOUNS, dispatch } from './dispatch.ts';
import { exitsOf, optionName, optionWords } from './help.ts';

const GROUPS = await Promise.all(
  ALL_NOUNS.map(async ({ name, summary, load }) => ({ name, summary, commands: await load() })),
);
const COMMANDS = GROUPS.flatMap(({ commands }) => commands);

const SUMMARY_LENGTH_MAX = 80;

/** The verbs with which the words about an operand or an option begin. */
const VERBS: ReadonlySet<string> = new Set(
  (
    'Adds Allows Also Applies Brings Checks Confirms Creates Deletes Disables Ends Finishes Gives Keeps Labels Lets Limits Names Overrides Prints Reads Removes ' +
    'Renames Repeats Replaces Rotates Says Selects Sets Shows Starts Stops Takes Uses Writes'
  ).split(' '),
);

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: readonly string[];
}

/** Runs `chancery …` in this process, with an empty environment. */
async function chancery(...words: readonly string[]): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await dispatch(words, {
    environment: {},
    print: (line) => void out.push(line),
    complain: (line) => void err.push(line),
  });
  return { code, out: out.join('\n'), err };
}

const nameOf = ({ words }: Command): string => words.join(' ');

/** Undoes the wrapping of the help, so that sentences can be found in it. */
const unwrapped = (text: string): string => text.replaceAll(/\s+/gu, ' ');

function assertSentences(text: string, about: string): void {
  assert.match(text, /^[A-Z`].+[.:]$/su, `${about}: "${text}" is not made of sentences`);
}

test('each command is there once, below the noun that is its first word', () => {
  assert.equal(new Set(COMMANDS.map(nameOf)).size, COMMANDS.length);
  for (const { name, commands } of GROUPS)
    for (const { words } of commands) assert.equal(words[0], name, words.join(' '));
});

for (const { name, summary, commands } of GROUPS) {
  test(`chancery ${name} --help: exit code 0 and the summary of every command`, async () => {
    for (const words of [
      [name, '--help'],
      [name, '-h'],
      ['help', name],
    ]) {
      const { code, out, err } = await chancery(...words);
      assert.deepEqual([code, err], [0, []], words.join(' '));
      for (const one of commands) {
        assert.ok(out.includes(`chancery ${nameOf(one)}`), out);
        assert.ok(unwrapped(out).includes(one.summary), out);
      }
    }
    assert.ok(summary.length <= SUMMARY_LENGTH_MAX, summary);
    assert.match(summary, /^[A-Z][a-z]+,? .*[^.]$/u);
  });
}

test('chancery keys encryption --help: exit code 0 and the commands of the inner group only', async () => {
  const { code, out } = await chancery('keys', 'encryption', '--help');
  assert.equal(code, 0);
  assert.match(out, /chancery keys encryption rotate/u);
  assert.doesNotMatch(out, /chancery keys rotate/u);
});

test('a short option is one letter, and stands for the same option in every command', () => {
  const meanings = new Map<string, string>();
  for (const { options } of COMMANDS) {
    for (const [name, { short }] of Object.entries(options)) {
      if (short === undefined) continue;
      assert.match(short, /^[a-gi-z]$/u, `${name}: -h is --help`);
      assert.equal(meanings.getOrInsert(short, name), name, `-${short}`);
    }
  }
  assert.deepEqual(Object.fromEntries(meanings), {
    c: 'config',
    j: 'json',
    m: 'mode',
    n: 'dry-run',
    p: 'port',
    t: 'tenant',
  });
});

for (const command of COMMANDS) {
  const name = nameOf(command);
  test(`chancery ${name}: every text is there, and the help explains every operand and option`, async () => {
    const { summary, description, servers, output, examples, operands, options } = command;
    assert.ok(summary.length <= SUMMARY_LENGTH_MAX, `${summary} has ${summary.length} characters`);
    assert.match(summary, /^[A-Z][a-z]+ .*[^.]$/u);
    assert.ok(description.length > 0 && examples.length > 0);
    for (const text of [...description, servers, output]) assertSentences(text, name);
    const explained = [...Object.entries(operands), ...Object.entries(options)];
    for (const [key, { words }] of explained) {
      assertSentences(words, `${name} ${key}`);
      assert.ok(VERBS.has(words.split(' ')[0] ?? ''), `${name} ${key}: "${words}" begins with no verb`);
    }

    const { code, out, err } = await chancery(...command.words, '--help');
    assert.deepEqual([code, err], [0, []]);
    const help = unwrapped(out);
    assert.ok(help.startsWith(`chancery ${name}`), out);
    for (const text of [summary, ...description, servers, output]) assert.ok(help.includes(text), text);
    for (const [key, { words }] of Object.entries(operands))
      assert.ok(help.includes(`${key.toUpperCase()} ${words}`), key);
    for (const [key, option] of Object.entries(options))
      assert.ok(help.includes(`${optionName(key, option)} ${optionWords(option)}`), key);
    for (const [exit, words] of exitsOf(command)) assert.ok(help.includes(`${exit} ${words}`), exit);
    assert.equal((await chancery('help', ...command.words)).out, out);
  });

  test(`chancery ${name}: every example is a call of the command with declared options only`, () => {
    for (const example of command.examples) {
      assert.match(example, new RegExp(`(?:^|[ |])chancery (?:--help|${name})(?: |$)|^chancery help`, 'u'));
      for (const [, option = ''] of example.matchAll(/ --([a-z-]+)/gu))
        assert.ok(option in command.options, `${example}: --${option}`);
    }
  });

  const refused = command.exits?.[2] === undefined ? 2 : 1;
  test(`chancery ${name}: an unknown option is refused with ${refused}, and the valid ones are listed`, async () => {
    const { code, out, err } = await chancery(...command.words, '--unknown-option');
    assert.deepEqual([code, out, err.length], [refused, '', 1]);
    const [line = ''] = err;
    assert.ok(line.startsWith(`chancery ${name}: unknown option --unknown-option;`), line);
    for (const option of [...Object.keys(command.options), 'help'])
      assert.ok(line.includes(`--${option}`), line);
  });

  test(`chancery ${name}: the environment is explained where settings are read, and only there`, () => {
    const names = command.environment.map((variable) => variable.name);
    assert.equal(names.includes(CONFIG_VARIABLE), 'config' in command.options);
    for (const { words } of command.environment) assertSentences(words, name);
  });
}
