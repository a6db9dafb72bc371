import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { LANGUAGES } from './messages.ts';

const SOURCES = join(import.meta.dirname, '..');

const messagesOf = (language: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(SOURCES, 'messages', `${language}.json`), 'utf8')) as Record<string, string>;

const english = messagesOf('en');
const files = globSync('messages/*.json', { cwd: SOURCES }).map((file) => basename(file, '.json'));

test('each language of the menu has a file of messages, and each file is in the menu', () => {
  assert.deepEqual(files.sort(), Object.keys(LANGUAGES).sort());
});

for (const language of files) {
  test(`the console has every message in ${language}, with as many values as in English`, () => {
    const messages = messagesOf(language);
    assert.deepEqual(Object.keys(messages), Object.keys(english));
    for (const [key, text] of Object.entries(messages)) {
      assert.notEqual(text.trim(), '', key);
      assert.equal(text.split('{}').length, english[key]?.split('{}').length, key);
    }
  });
}
