import assert from 'node:assert/strict';
import { test } from 'node:test';
import { steadily } from '../../src/testing/exchange-story.ts';
import { readEndpointFolders } from '../../tools/contracts.ts';
import { exchangeMarkdown } from '../../tools/exchange-markdown.ts';
import { CODE_CHALLENGE, VERIFIER } from '../program/code-request.ts';
import { STORIES } from './stories.ts';

const folders = await readEndpointFolders();

test('every folder of endpoints has a story, so that its page in the reference has real requests', () => {
  assert.deepEqual(Object.keys(STORIES).toSorted(), folders.map(({ name }) => name).toSorted());
});

for (const [name, stories] of Object.entries(STORIES)) {
  test(`the story of ${name} is sent, each answer has its status and its description, and no secret is in the reference`, async () => {
    for (const story of stories) {
      const { all, shown } = await story();
      assert.ok(shown.length > 0);
      const steady = steadily(all);
      const text = shown.map((exchange) => exchangeMarkdown(exchange, steady)).join('\n');
      // Every random identifier of the server is longer, and so is every secret.
      const words = [...text.matchAll(/[A-Za-z0-9_-]{32,}/gu)].map(([word]) => word);
      assert.deepEqual(words.filter(isRandom), []);
    }
  });
}

const isRandom = (word: string): boolean =>
  [/\d/u, /[a-z]/u, /[A-Z]/u].every((kind) => kind.test(word)) &&
  word !== VERIFIER &&
  word !== CODE_CHALLENGE;
