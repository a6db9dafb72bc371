import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OAuthError } from '../spec/errors.ts';
import { testEndUsers } from '../testing/end-users.ts';
import { beginInteraction, changeInteraction, completeInteraction, findInteraction } from './interaction.ts';

const CONTENT = { client_id: 'c', state: 'äöü🦊\u2028' };

test('an interaction is found only by its handle, in its browser and with its kind', async () => {
  const { interactions } = await testEndUsers();
  const { handle, browser } = await beginInteraction(interactions, 'authorization', CONTENT, undefined);
  const found = await findInteraction(interactions, 'authorization', handle, browser);
  assert.deepEqual(found?.content, CONTENT);
  const { key } = found.stored;
  for (const [kind, by, cookie] of [
    ['logout', handle, browser],
    ['authorization', handle, undefined],
    ['authorization', handle, ''],
    ['authorization', handle, `${browser}x`],
    ['authorization', handle, handle],
    ['authorization', key, browser],
    ['authorization', browser, browser],
    ['authorization', '', browser],
  ] as const) {
    assert.equal(await findInteraction(interactions, kind, by, cookie), undefined);
  }
});

test('two tabs of one browser have independent interactions', async () => {
  const { interactions } = await testEndUsers();
  const one = await beginInteraction(interactions, 'logout', { rp: 1 }, undefined);
  const two = await beginInteraction(interactions, 'logout', { rp: 2 }, one.browser);
  assert.equal(two.browser, one.browser);
  for (const [{ handle }, rp] of [
    [one, 1],
    [two, 2],
  ] as const) {
    assert.deepEqual((await findInteraction(interactions, 'logout', handle, one.browser))?.content, { rp });
  }
});

test('an interaction is completed once: a double click and the back button do nothing', async () => {
  const { interactions } = await testEndUsers();
  const { handle, browser } = await beginInteraction(interactions, 'logout', CONTENT, undefined);
  const found = await findInteraction(interactions, 'logout', handle, browser);
  assert.ok(found !== undefined);
  const completions = await Promise.all(
    Array.from({ length: 10 }, () => completeInteraction(interactions, found)),
  );
  assert.equal(completions.filter(Boolean).length, 1);
  assert.equal(await findInteraction(interactions, 'logout', handle, browser), undefined);
  assert.equal(await changeInteraction(interactions, found, CONTENT), undefined);
});

test('a page that is out of date cannot complete an interaction', async () => {
  const { interactions } = await testEndUsers();
  const { handle, browser } = await beginInteraction(interactions, 'authorization', CONTENT, undefined);
  const shown = await findInteraction(interactions, 'authorization', handle, browser);
  assert.ok(shown !== undefined);
  const changed = await changeInteraction(interactions, shown, { ...CONTENT, sub: 'ada' });
  assert.ok(changed !== undefined);
  assert.equal(await completeInteraction(interactions, shown), false);
  assert.equal(await changeInteraction(interactions, shown, { ...CONTENT, sub: 'bob' }), undefined);
  assert.deepEqual(await findInteraction(interactions, 'authorization', handle, browser), changed);
  assert.equal(await completeInteraction(interactions, changed), true);
});

test('an interaction expires after its lifetime', async () => {
  const endUsers = await testEndUsers();
  const { interactions } = endUsers;
  const { handle, browser } = await beginInteraction(interactions, 'logout', CONTENT, undefined);
  endUsers.pass(899);
  assert.notEqual(await findInteraction(interactions, 'logout', handle, browser), undefined);
  endUsers.pass(1);
  assert.equal(await findInteraction(interactions, 'logout', handle, browser), undefined);
});

test('an interaction that is too large is refused: 400 invalid_request', async () => {
  const { interactions } = await testEndUsers();
  const largest = { text: 'x'.repeat(131_072 - '{"text":""}'.length) };
  const begun = await beginInteraction(interactions, 'logout', largest, undefined);
  const found = await findInteraction(interactions, 'logout', begun.handle, begun.browser);
  assert.ok(found !== undefined);
  const larger = { text: `${largest.text}x` };
  const isRefusal = (failure: unknown): boolean =>
    failure instanceof OAuthError && failure.code === 'invalid_request';
  await assert.rejects(beginInteraction(interactions, 'logout', larger, undefined), isRefusal);
  await assert.rejects(changeInteraction(interactions, found, larger), isRefusal);
});
