import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import { bench, CONTENT, minted, NOW } from '../testing/tokens.ts';
import { findAccessToken, mintAccessToken, scopeOf } from './access-token.ts';

test('a token is a locator, 43 random characters, a full stop and a MAC; only its digest is stored (decisions 15, 16 and 20)', async () => {
  const on = await bench();
  const { access_token, stored } = await mintAccessToken(on.needs, CONTENT);
  assert.match(access_token, /^[0-9A-Za-z]{54}\.[A-Za-z0-9_-]{22}$/);
  assert.equal(stored.key.length, 11 + 43);
  assert.equal(stored.key.slice(0, 11), access_token.slice(0, 11));
  assert.equal(JSON.stringify(stored).includes(access_token.slice(11, 54)), false);
  assert.equal(stored.expires_at, NOW + 60);
});

test('the introspection response is rendered once, with username, aud and dat where they are (decision 24)', async () => {
  const on = await bench();
  const { stored } = await mintAccessToken(on.needs, { ...CONTENT, audience: ['rs'], data: '{"n":1e400}' });
  assert.match(
    stored.introspection,
    /^\{"active":true,"scope":"read write","client_id":"app","token_type":"Bearer","exp":1800000060,"iat":1800000000,"sub":"alice","aud":\["rs"\],"iss":"https:\/\/op\.example\.com","jti":"[A-Za-z0-9]{16}","dat":\{"n":1e400\}\}$/,
  );
  assert.equal((await mintAccessToken(on.needs, CONTENT)).stored.introspection.includes('"aud"'), false);
});

test('a token is found until the second of its expiry (RFC 7662 §2.2)', async () => {
  const on = await bench();
  const token = await minted(on);
  assert.equal((await findAccessToken(on.needs, token))?.client_id, 'app');
  on.now = NOW + 59;
  assert.notEqual(await findAccessToken(on.needs, token), undefined);
  on.now = NOW + 60;
  assert.equal(await findAccessToken(on.needs, token), undefined);
});

test('a token with one changed character is refused without a look-up (decision 20)', async () => {
  const on = await bench();
  const token = await minted(on);
  await findAccessToken(on.needs, token);
  on.lookUps.length = 0;
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === 'A' ? 'B' : 'A';
    const forged = token.slice(0, at) + other + token.slice(at + 1);
    assert.equal(await findAccessToken(on.needs, forged), undefined, `character ${at}`);
  }
  for (const forged of [
    '',
    token.slice(1),
    `${token}A`,
    ` ${token}`,
    token.replace('.', ''),
    'é'.repeat(77),
  ]) {
    assert.equal(await findAccessToken(on.needs, forged), undefined);
  }
  assert.deepEqual(on.lookUps, []);
});

test('a token with the MAC of another key is refused (decision 20)', async () => {
  const on = await bench();
  const theirs = { ...on.needs, mac: createSecretKey(Buffer.alloc(32, 8)) };
  const { access_token, stored } = await mintAccessToken(theirs, CONTENT);
  on.tokens.set(stored.key, stored);
  assert.equal(await findAccessToken(on.needs, access_token), undefined);
});

test('a genuine token is looked up each time: the cache holds the verified MAC, not the record', async () => {
  const on = await bench();
  const token = await minted(on);
  for (let time = 0; time < 3; time += 1) assert.notEqual(await findAccessToken(on.needs, token), undefined);
  on.tokens.clear();
  assert.equal(await findAccessToken(on.needs, token), undefined);
  assert.equal(on.lookUps.length, 4);
});

test('the scope of a stored token is a list; the empty one is empty', async () => {
  const on = await bench();
  assert.deepEqual(scopeOf((await mintAccessToken(on.needs, CONTENT)).stored), ['read', 'write']);
  assert.deepEqual(scopeOf((await mintAccessToken(on.needs, { ...CONTENT, scope: [] })).stored), []);
});

test('a thousand tokens of one millisecond are all different', async () => {
  const on = await bench();
  const minting = Array.from({ length: 1000 }, async () => await mintAccessToken(on.needs, CONTENT));
  const tokens = (await Promise.all(minting)).map(({ access_token }) => access_token);
  assert.equal(new Set(tokens).size, 1000);
});
