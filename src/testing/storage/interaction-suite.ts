import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDigest, anInteraction } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aCode, EVENT, HARD_TEXTS, NOW, OPEN, occurrences, times } from './stored-examples.ts';

export function interactionContract(make: MakeEngine): void {
  devices(make);
  allowedDevices(make);
  test(
    'an interaction comes back as it was kept, in its own tenant only',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const content of HARD_TEXTS) {
        const interaction = anInteraction({ content, kind: 'logout' });
        await tenant.interactions.begin(interaction);
        assert.deepEqual(await tenant.interactions.find(interaction.key), interaction);
        assert.equal(await other.interactions.find(interaction.key), undefined);
        assert.equal(await other.interactions.complete(interaction), 'absent');
      }
      assert.equal(await tenant.interactions.find(aDigest()), undefined);
    }),
  );

  test(
    'a change needs the version it was made from, and raises it',
    onEmptyStorage(make, async ({ tenant }) => {
      const interaction = anInteraction();
      await tenant.interactions.begin(interaction);
      assert.equal(await tenant.interactions.change(interaction, '{"sub":"a"}'), 'done');
      assert.equal(await tenant.interactions.change(interaction, '{"sub":"b"}'), 'changed_meanwhile');
      const changed = { ...interaction, version: 2, content: '{"sub":"a"}' };
      assert.deepEqual(await tenant.interactions.find(interaction.key), changed);
      assert.equal(await tenant.interactions.complete(interaction), 'changed_meanwhile');
      assert.equal(await tenant.interactions.complete(changed), 'done');
      assert.equal(await tenant.interactions.change(changed, '{}'), 'absent');
      assert.equal(await tenant.interactions.find(interaction.key), undefined);
    }),
  );

  test(
    'of fifty that complete an interaction at once, over two views, exactly one does',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const interaction = anInteraction();
      await tenant.interactions.begin(interaction);
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(50, (index) => (index % 2 === 0 ? tenant : second).interactions.complete(interaction)),
        );
        assert.equal(occurrences(outcomes, 'done'), 1);
        assert.equal(occurrences(outcomes, 'absent'), 49);
      });
    }),
  );

  test(
    'sweeping removes expired interactions of its own tenant, the oldest first',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const old = times(3, (index) => anInteraction({ expires_at: NOW - 3 + index }));
      const live = anInteraction({ expires_at: NOW });
      for (const interaction of [...old, live]) await tenant.interactions.begin(interaction);
      for (const interaction of old) await other.interactions.begin(interaction);
      assert.equal(await tenant.interactions.sweepExpired(NOW, 2), 2);
      for (const [index, { key }] of old.entries()) {
        assert.deepEqual(await tenant.interactions.find(key), index < 2 ? undefined : old[index]);
      }
      assert.equal(await tenant.interactions.sweepExpired(NOW, 2), 1);
      assert.equal(await tenant.interactions.sweepExpired(NOW, 2), 0);
      assert.deepEqual(await tenant.interactions.find(live.key), live);
      assert.equal(await other.interactions.sweepExpired(NOW, 10), 3);
    }),
  );
}

function devices(make: MakeEngine): void {
  test(
    'devices are listed by key, of their own tenant, also those of one client; nothing else is',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { interactions: store } = tenant;
      const browser = aDigest();
      const devices = times(3, (index) =>
        anInteraction({ kind: 'device', ...(index === 1 ? { browser } : {}) }),
      );
      for (const one of [...devices, anInteraction({ kind: 'user-code', browser }), anInteraction()])
        await store.begin(one);
      await other.interactions.begin(anInteraction({ kind: 'device', browser }));
      const sorted = devices.toSorted((one, two) => (one.key < two.key ? -1 : 1));
      assert.deepEqual(await store.devices({}, '', 10), sorted);
      assert.deepEqual(await store.devices({}, '', 2), sorted.slice(0, 2));
      assert.deepEqual(await store.devices({}, sorted[1]?.key ?? '', 10), sorted.slice(2));
      assert.deepEqual(await store.devices({ browser }, '', 10), devices.slice(1, 2));
    }),
  );

  test(
    'a refusal of a device uses its code up, needs the version it was made from, and is recorded once',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const device = anInteraction({ kind: 'device' });
      const { key: user_code } = anInteraction();
      const code = anInteraction({ key: user_code, kind: 'user-code' });
      for (const one of [device, code]) await tenant.interactions.begin(one);
      const before = (await tenant.audit.page(0, 100)).length;
      const refused = { device, user_code, content: '{"denied":true}' };
      const old = { ...refused, device: { ...device, version: 2 } };
      assert.equal(await tenant.interactions.refuseDevice(old, EVENT), 'changed_meanwhile');
      assert.equal(await other.interactions.refuseDevice(refused, EVENT), 'absent');
      assert.deepEqual(await tenant.interactions.find(user_code), code);
      assert.equal(await tenant.interactions.refuseDevice(refused, EVENT), 'done');
      assert.equal(await tenant.interactions.find(user_code), undefined);
      const now = { ...device, version: 2, content: refused.content };
      assert.deepEqual(await tenant.interactions.find(device.key), now);
      assert.equal(await tenant.interactions.refuseDevice({ ...refused, device: now }, EVENT), 'absent');
      assert.equal((await tenant.audit.page(0, 100)).length, before + 1);
    }),
  );
}

function allowedDevices(make: MakeEngine): void {
  test(
    'allowDevice uses the code for people up and issues the code of the device: both or neither',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const user_code = anInteraction({ kind: 'user-code' });
      await tenant.interactions.begin(user_code);
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const code = aCode(client);
      const old = { ...user_code, version: 2 };
      assert.equal(await tenant.interactions.allowDevice(old, code), 'changed_meanwhile');
      assert.equal(await other.interactions.allowDevice(user_code, code), 'absent');
      assert.equal(await tenant.authorizationCodes.find(code.key), undefined);
      assert.deepEqual(await tenant.interactions.find(user_code.key), user_code);
      assert.equal(await tenant.interactions.allowDevice(user_code, code), 'done');
      assert.equal(await tenant.interactions.find(user_code.key), undefined);
      assert.deepEqual(await tenant.authorizationCodes.find(code.key), code);
      assert.equal(await tenant.interactions.allowDevice(user_code, code), 'absent');
    }),
  );

  test(
    'a code of a device that cannot be issued leaves the code for people as it was',
    onEmptyStorage(make, async ({ tenant }) => {
      const user_code = anInteraction({ kind: 'user-code' });
      await tenant.interactions.begin(user_code);
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const code = aCode(client);
      await tenant.authorizationCodes.issue(code);
      await assert.rejects(tenant.interactions.allowDevice(user_code, code));
      assert.deepEqual(await tenant.interactions.find(user_code.key), user_code);
    }),
  );

  test(
    'of twenty that refuse a device or allow it at once, over two views, exactly one does',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const device = anInteraction({ kind: 'device' });
      const code = anInteraction({ kind: 'user-code' });
      for (const one of [device, code]) await tenant.interactions.begin(one);
      const refused = { device, user_code: code.key, content: '{}' };
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const issued = aCode(client);
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(20, (index) => {
            const { interactions: store } = index % 2 === 0 ? tenant : second;
            return index % 4 < 2 ? store.refuseDevice(refused, undefined) : store.allowDevice(code, issued);
          }),
        );
        assert.equal(occurrences(outcomes, 'done'), 1);
        const isRefused = outcomes.indexOf('done') % 4 < 2;
        assert.equal((await tenant.interactions.find(device.key))?.version, isRefused ? 2 : 1);
        const found = await tenant.authorizationCodes.find(issued.key);
        assert.deepEqual(found, isRefused ? undefined : issued);
      });
    }),
  );
}
