import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Digest } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aGrant, anEvent, aToken, aTokenOf, NOW, OPEN, TENANT, times } from './stored-examples.ts';

/** More than a thousand, so that a write in a thousand that is lost is missed. */
const MANY = 1_100;
const GRANTS = 220;

/** A write that is answered is there: a fault that loses a write now and then shows only in many. */
export function manyWritesContract(make: MakeEngine): void {
  test(
    'of 1,100 registrations, replacements, tokens and revocations that arrive in batches of hundreds, each is there (F54)',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const clients = times(MANY, () => aClient());
      for (const outcome of await Promise.all(clients.map((each) => tenant.clients.create(each, OPEN))))
        assert.equal(outcome, 'created');
      const replaced = clients.map((client) => ({ ...client, version: 2, metadata: '{"replaced":true}' }));
      const outcomes = await Promise.all(replaced.map((each) => tenant.clients.replace(each, 1, anEvent())));
      for (const outcome of outcomes) assert.equal(outcome, 'done');
      const tokens = clients.map((client) => aToken(client));
      const revoked = clients.map((client) => aToken(client));
      await Promise.all([...tokens, ...revoked].map((token) => tenant.accessTokens.issue(token)));
      await Promise.all(revoked.map(({ key }) => tenant.accessTokens.revoke(key, NOW)));
      await onSecondView(engine, async (second) => {
        const found = await Promise.all(
          replaced.map(async ({ client_id }) => await second.clients.find(client_id)),
        );
        assert.deepEqual(found, replaced);
        assert.deepEqual(
          await Promise.all(tokens.map(async ({ key }) => await second.accessTokens.find(key))),
          tokens,
        );
        const active = await Promise.all(revoked.map(async ({ key }) => await second.accessTokens.find(key)));
        assert.equal(active.filter((token) => token !== undefined).length, 0);
      });
    }),
  );

  test(
    'of 220 refresh tokens that are exchanged at once, each next one is good, and each of the former is not (F54)',
    onEmptyStorage(make, async ({ storage, tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const grants = times(GRANTS, () => aGrant(client));
      await Promise.all(grants.map((grant) => tenant.grants.create(grant, aTokenOf(grant))));
      const digestOf = (index: number, round: number): Digest => `${index} of round ${round}` as Digest;
      const use = (index: number, round: number): Promise<string> => {
        const grant = grants[index];
        assert.ok(grant !== undefined && grant.refresh_token !== null);
        return storage.forTenant(TENANT).grants.refresh({
          grant_id: grant.grant_id,
          presented: round === 0 ? grant.refresh_token.digest : digestOf(index, round - 1),
          next: { digest: digestOf(index, round), expires_at: NOW + 7200 },
          expires_at: NOW + 7200,
          token: aTokenOf(grant),
          now: NOW,
        });
      };
      for (const round of [0, 1]) {
        const outcomes = await Promise.all(grants.map((_, index) => use(index, round)));
        assert.deepEqual(new Set(outcomes), new Set(['refreshed']));
      }
      const again = await Promise.all(grants.map((_, index) => use(index, 1)));
      assert.deepEqual(new Set(again), new Set(['reused']));
    }),
  );
}
