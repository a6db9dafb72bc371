import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { sealerWith } from '../../system/sealer.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';
import { metadataOf } from '../registered-client.ts';
import { makeSecret, openSecret } from './client-secrets.ts';

/** A sealer that counts what it opens. */
function counting(): Sealer & { opened(): number } {
  const sealer = sealerWith([randomBytes(32)]);
  let opened = 0;
  return {
    ...sealer,
    open(sealed, place) {
      opened += 1;
      return sealer.open(sealed, place);
    },
    opened: () => opened,
  };
}

test('the answer to a registration shows secret and registration token without opening them; a reading opens them (RFC 7591 §3.2.1)', async () => {
  const sealer = counting();
  const tenant = testTenant({ sealer });
  await tenant.opened();
  const before = sealer.opened();
  const made = await tenant.register(WEB_CLIENT);
  assert.equal(sealer.opened(), before);
  const read = await tenant.send('client-read', { bearer: MASTER, id: made.client_id });
  assert.equal(sealer.opened(), before + 2);
  const shown = ['client_secret', 'registration_access_token'] as const;
  assert.deepEqual(
    shown.map((name) => read.json[name]),
    shown.map((name) => made[name]),
  );
});

test('a secret that was just made for one client is not shown for another', async () => {
  const tenant = testTenant();
  const needs = await tenant.registry();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const client = await needs.clients.find(client_id as ClientId);
  assert.ok(client !== undefined);
  const secret = makeSecret(needs, client, metadataOf(client));
  assert.match(openSecret(needs.sealer, client, secret), /^[A-Za-z0-9]+$/);
  const other = { ...client, instance: `${client.instance}x` as typeof client.instance };
  assert.throws(() => openSecret(needs.sealer, other, secret), SealBroken);
});

test('a copy of what was just made is opened, so that it never shows a text that it does not hold', async () => {
  const tenant = testTenant();
  const needs = await tenant.registry();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const client = await needs.clients.find(client_id as ClientId);
  assert.ok(client !== undefined);
  const [one, two] = [1, 2].map(() => makeSecret(needs, client, metadataOf(client)));
  assert.ok(one !== undefined && two !== undefined);
  const copy = { ...one, sealed: two.sealed };
  assert.equal(openSecret(needs.sealer, client, copy), openSecret(needs.sealer, client, two));
  assert.deepEqual(structuredClone(one), { ...one });
});
