import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InitialAccessToken, StoredAccessToken } from '../../ports/access-token-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { AccessTokenKey } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, anEvent, aToken, EVENT, LABEL, NOW, OPEN, occurrences, times } from './stored-examples.ts';

export function initialAccessTokenContract(make: MakeEngine): void {
  labels(make);
  lives(make);
  revocation(make);
  revocationRaces(make);
  sweeping(make);
}

const unused = (token: StoredAccessToken): InitialAccessToken => ({
  ...LABEL,
  key: token.key,
  expires_at: token.expires_at,
  used_at: null,
  used_by_client_id: null,
  used_by_instance: null,
  revoked_at: null,
});

async function issued(
  tenant: TenantStorage,
  values: Partial<StoredAccessToken> = {},
): Promise<StoredAccessToken> {
  const token = aToken(undefined, values);
  await tenant.accessTokens.issueInitial(token, LABEL, EVENT);
  return token;
}

const all = (tenant: TenantStorage): Promise<readonly InitialAccessToken[]> =>
  Promise.resolve(tenant.accessTokens.pageInitial(undefined, 1000));

function labels(make: MakeEngine): void {
  test(
    'an initial access token may name no host, some, or have no limit of hosts',
    onEmptyStorage(make, async ({ tenant }) => {
      for (const redirect_hosts of [null, [], ['a.example'], ['"quoted"', 'b.example', 'ü.example']]) {
        const token = aToken();
        const label = { ...LABEL, scope: '', redirect_hosts };
        await tenant.accessTokens.issueInitial(token, label, EVENT);
        assert.deepEqual(await tenant.accessTokens.findInitial(token.key), label);
        assert.deepEqual(
          (await all(tenant)).find(({ key }) => key === token.key),
          { ...unused(token), ...label },
        );
      }
    }),
  );

  test(
    'pages hold every initial access token of the tenant once, in the order of the keys, and no ordinary token',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const keys = times(12, (index) => `${String(index).padStart(2, '0')}key` as AccessTokenKey);
      await Promise.all(keys.toReversed().map((key) => issued(tenant, { key })));
      await tenant.accessTokens.issue(aToken());
      await issued(other);
      const seen: InitialAccessToken[] = [];
      const lengths: number[] = [];
      while (lengths.at(-1) !== 0) {
        const page = await tenant.accessTokens.pageInitial(seen.at(-1)?.key, 5);
        lengths.push(page.length);
        seen.push(...page);
      }
      assert.deepEqual(lengths, [5, 5, 2, 0]);
      assert.deepEqual(
        seen.map(({ key }) => key),
        keys,
      );
    }),
  );
}

function lives(make: MakeEngine): void {
  test(
    'an operator sees what became of each: unused, used and by which client, revoked, expired',
    onEmptyStorage(make, async ({ tenant }) => {
      const fresh = await issued(tenant);
      const used = await issued(tenant);
      const revoked = await issued(tenant);
      const expired = await issued(tenant, { expires_at: NOW - 1 });
      const client = aClient();
      await tenant.clients.create(client, { ...OPEN, initialAccessToken: used.key });
      await tenant.accessTokens.revokeInitial(revoked.key, anEvent({ at: NOW + 3 }));
      await tenant.clients.delete(client, EVENT);
      const expected = [
        unused(fresh),
        {
          ...unused(used),
          used_at: NOW,
          used_by_client_id: client.client_id,
          used_by_instance: client.instance,
        },
        { ...unused(revoked), revoked_at: NOW + 3 },
        unused(expired),
      ];
      assert.deepEqual(
        await all(tenant),
        expected.toSorted((a, b) => (a.key < b.key ? -1 : 1)),
      );
    }),
  );
}

function revocation(make: MakeEngine): void {
  test(
    'a revoked initial access token is no longer found and creates nothing (RFC 7662 §2.2)',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = await issued(tenant);
      assert.equal(await tenant.accessTokens.revokeInitial(token.key, EVENT), true);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.equal(await tenant.accessTokens.findInitial(token.key), undefined);
      const conditions = { ...OPEN, initialAccessToken: token.key };
      assert.equal(await tenant.clients.create(aClient(), conditions), 'initial_access_token_used');
      await assert.rejects(tenant.accessTokens.issueInitial(token, LABEL, EVENT));
    }),
  );

  test(
    'an unknown, used, expired, revoked or ordinary token and one of another tenant cannot be revoked',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const used = await issued(tenant);
      const client = aClient();
      await tenant.clients.create(client, { ...OPEN, initialAccessToken: used.key });
      const revoked = await issued(tenant);
      await tenant.accessTokens.revokeInitial(revoked.key, EVENT);
      const expired = await issued(tenant, { expires_at: NOW });
      const foreign = await issued(other);
      const ordinary = aToken();
      await tenant.accessTokens.issue(ordinary);
      const before = await all(tenant);
      for (const token of [used, revoked, expired, foreign, ordinary, aToken()]) {
        assert.equal(await tenant.accessTokens.revokeInitial(token.key, anEvent()), false);
      }
      assert.deepEqual(await all(tenant), before);
      assert.deepEqual(await tenant.clients.find(client.client_id), client);
      assert.deepEqual(await tenant.accessTokens.find(ordinary.key), ordinary);
      assert.deepEqual(await other.accessTokens.findInitial(foreign.key), LABEL);
    }),
  );
}

function revocationRaces(make: MakeEngine): void {
  test(
    'of a registration and revocations of one initial access token exactly one happens, in two storages',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        for (const [first, then] of [
          [tenant, second],
          [second, tenant],
        ] as const) {
          const token = await issued(tenant);
          const client = aClient();
          const [created, ...revoked] = await Promise.all([
            first.clients.create(client, { ...OPEN, initialAccessToken: token.key }),
            ...times(10, () => then.accessTokens.revokeInitial(token.key, anEvent())),
          ]);
          assert.equal(occurrences(revoked, true), created === 'created' ? 0 : 1);
          assert.equal((await tenant.clients.find(client.client_id)) !== undefined, created === 'created');
          assert.equal(await tenant.accessTokens.find(token.key), undefined);
          const row = (await all(tenant)).find(({ key }) => key === token.key);
          assert.equal(row?.used_at !== null, created === 'created');
          assert.equal(row?.revoked_at !== null, created !== 'created');
        }
      });
    }),
  );

  test(
    'a revocation asked for before a registration wins, and one asked for after it loses',
    onEmptyStorage(make, async ({ tenant }) => {
      for (const revocationFirst of [true, false]) {
        const token = await issued(tenant);
        const revoke = () => tenant.accessTokens.revokeInitial(token.key, EVENT);
        const create = () => tenant.clients.create(aClient(), { ...OPEN, initialAccessToken: token.key });
        const outcomes = revocationFirst
          ? await Promise.all([revoke(), create()])
          : (await Promise.all([create(), revoke()])).toReversed();
        assert.deepEqual(
          outcomes,
          revocationFirst ? [true, 'initial_access_token_used'] : [false, 'created'],
        );
      }
    }),
  );
}

function sweeping(make: MakeEngine): void {
  test(
    'the sweep removes unused and revoked initial access tokens once they have expired, and keeps used ones',
    onEmptyStorage(make, async ({ tenant }) => {
      const used = await issued(tenant);
      await tenant.clients.create(aClient(), { ...OPEN, initialAccessToken: used.key });
      const revoked = await issued(tenant);
      await tenant.accessTokens.revokeInitial(revoked.key, EVENT);
      await issued(tenant);
      const later = await issued(tenant, { expires_at: NOW + 10_000 });
      await tenant.accessTokens.sweepExpired(NOW, 100);
      assert.equal((await all(tenant)).length, 4);
      await tenant.accessTokens.sweepExpired(NOW + 601, 100);
      assert.deepEqual(
        (await all(tenant)).map(({ key }) => key),
        [used.key, later.key].toSorted(),
      );
    }),
  );
}
