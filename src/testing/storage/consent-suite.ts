import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientInstance, Subject } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, anEvent, EVENT, NOW, OPEN, times } from './stored-examples.ts';

const ADA = 'ada' as Subject;
const BOB = 'bob' as Subject;

export function consentContract(make: MakeEngine): void {
  test(
    'what is granted is added to what was, each value once, in alphabetical order',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      const { client_id, instance } = client;
      await tenant.clients.create(client, OPEN);
      const first = {
        sub: ADA,
        client_id,
        instance,
        scope: ['profile', 'openid'],
        claims: ['email'],
        resources: ['urn:b'],
      };
      const second = { ...first, scope: ['a', 'openid'], claims: [], resources: ['urn:a', 'urn:b'] };
      await tenant.consents.grant(first, NOW);
      const granted = await tenant.consents.grant(second, NOW + 60);
      const expected = {
        ...first,
        scope: ['a', 'openid', 'profile'],
        claims: ['email'],
        resources: ['urn:a', 'urn:b'],
        granted_at: NOW,
        updated_at: NOW + 60,
      };
      assert.deepEqual(granted, expected);
      assert.deepEqual(await tenant.consents.find(ADA, client), expected);
      assert.equal(await tenant.consents.find(BOB, client), undefined);
      assert.equal(await other.consents.find(ADA, client), undefined);
    }),
  );

  test(
    'of many grants at once, over two views, every value counts',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const values = times(20, (index) => String.fromCodePoint(0x61 + index));
      await onSecondView(engine, async (second) => {
        await Promise.all(
          values.map((value, index) =>
            (index % 2 === 0 ? tenant : second).consents.grant(
              { ...client, sub: ADA, scope: [value], claims: [value], resources: [value] },
              NOW,
            ),
          ),
        );
        const consent = await tenant.consents.find(ADA, client);
        assert.deepEqual([consent?.scope, consent?.claims, consent?.resources], [values, values, values]);
      });
    }),
  );

  endContract(make);
}

function endContract(make: MakeEngine): void {
  test(
    'a consent and its event are stored together, or neither; the event keeps who acted, and from where',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const from = { sub: ADA, address: '192.0.2.7', user_agent: 'Browser/1' };
      const given = anEvent({ action: 'consent.grant', actor: 'end-user', ...from });
      const consent = { ...client, sub: ADA, scope: ['openid'], claims: [], resources: [] };
      const absent = { ...consent, client_id: aClient().client_id };
      assert.equal(await tenant.consents.grant(absent, NOW, given), undefined);
      await tenant.consents.grant(consent, NOW, given);
      const ended = anEvent({ action: 'consent.revoke', actor: 'server', sub: ADA });
      assert.equal(await tenant.consents.revoke(ADA, client, ended), true);
      assert.equal(await tenant.consents.revoke(ADA, client, ended), false);
      const events = (await tenant.audit.page(0, 9)).filter(({ action }) => action.startsWith('consent.'));
      assert.deepEqual(
        events.map(({ sequence: _sequence, ...event }) => event),
        [given, ended],
      );
      assert.deepEqual(await other.audit.page(0, 9), []);
    }),
  );

  test(
    'a revoked consent is gone, and every other consent stays',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      for (const view of [tenant, other]) {
        await view.clients.create(client, OPEN);
        for (const sub of [ADA, BOB]) {
          await view.consents.grant({ ...client, sub, scope: ['openid'], claims: [], resources: [] }, NOW);
        }
      }
      assert.equal(await tenant.consents.revoke(ADA, client), true);
      assert.equal(await tenant.consents.revoke(ADA, client), false);
      assert.equal(await tenant.consents.find(ADA, client), undefined);
      assert.deepEqual(await tenant.consents.ofSubject(ADA), []);
      assert.equal((await tenant.consents.ofSubject(BOB)).length, 1);
      assert.equal((await other.consents.ofSubject(ADA)).length, 1);
    }),
  );

  test(
    'consent to a client ends with it: nothing can be granted to one that is gone, and its id inherits nothing',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const consent = { ...client, sub: ADA, scope: ['openid'], claims: [], resources: [] };
      assert.equal(await tenant.consents.grant(consent, NOW), undefined);
      await tenant.clients.create(client, OPEN);
      await tenant.consents.grant(consent, NOW);
      await tenant.clients.delete(client, EVENT);
      assert.equal(await tenant.consents.find(ADA, client), undefined);
      assert.equal(await tenant.consents.grant(consent, NOW), undefined);
      const again = { ...client, instance: 'again' as ClientInstance };
      await tenant.clients.create(again, { ...OPEN, reuseDeletedId: true });
      assert.equal(await tenant.consents.find(ADA, again), undefined);
      assert.deepEqual(await tenant.consents.ofSubject(ADA), []);
    }),
  );
}
