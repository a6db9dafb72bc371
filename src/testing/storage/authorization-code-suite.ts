import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredAuthorizationCode } from '../../ports/authorization-code-store.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import {
  aClient,
  aCode,
  aGrant,
  aTokenOf,
  EVENT,
  endOfGrant,
  HARD_TEXTS,
  NOW,
  OPEN,
  occurrences,
  times,
} from './stored-examples.ts';

interface Issued {
  readonly client: StoredClient;
  readonly code: StoredAuthorizationCode;
}

async function issued(tenant: TenantStorage, values: Partial<StoredAuthorizationCode> = {}): Promise<Issued> {
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  const code = aCode(client, values);
  await tenant.authorizationCodes.issue(code);
  return { client, code };
}

/** The grant and token that a code is redeemed for. */
function aGift(client: StoredClient): { readonly grant: StoredGrant; readonly token: StoredAccessToken } {
  const grant = aGrant(client);
  return { grant, token: aTokenOf(grant) };
}

export function authorizationCodeContract(make: MakeEngine): void {
  uses(make);
  endings(make);
}

function uses(make: MakeEngine): void {
  test(
    'a code is found as it was issued, by its own tenant only, before and after its use',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const content of HARD_TEXTS) {
        const { client, code } = await issued(tenant, { content });
        assert.deepEqual(await tenant.authorizationCodes.find(code.key), code);
        assert.equal(await other.authorizationCodes.find(code.key), undefined);
        const { grant, token } = aGift(client);
        assert.equal(await other.authorizationCodes.redeem(code.key, { grant, token }), 'absent');
        assert.equal(await tenant.authorizationCodes.redeem(code.key, { grant, token }), 'redeemed');
        assert.deepEqual(await tenant.authorizationCodes.find(code.key), code);
        assert.deepEqual(await tenant.grants.find(grant.grant_id), grant);
        assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      }
    }),
  );

  test(
    'a second use gives nothing, and ends what the first one gave (RFC 6749 §4.1.2)',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, code } = await issued(tenant);
      const [first, second] = [aGift(client), aGift(client)];
      await tenant.authorizationCodes.redeem(code.key, first);
      const before = (await tenant.audit.page(0, 100)).length;
      const event = { ...EVENT, action: 'grant.end', detail: 'used again' } as const;
      for (let time = 0; time < 2; time += 1) {
        assert.equal(await tenant.authorizationCodes.redeem(code.key, { ...second, onReuse: event }), 'used');
      }
      const recorded = (await tenant.audit.page(0, 100)).slice(before).map(({ detail }) => detail);
      assert.deepEqual(recorded, ['used again'], 'once, with the end');
      for (const { grant, token } of [first, second]) {
        assert.equal(await tenant.grants.find(grant.grant_id), undefined);
        assert.equal(await tenant.accessTokens.find(token.key), undefined);
      }
      assert.deepEqual(await tenant.journal.since(0), endOfGrant(first.grant, first.token));
    }),
  );

  test(
    'one of fifty concurrent uses over two views redeems a code, and the reuse ends its grant',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const { client, code } = await issued(tenant);
        const gifts = times(50, () => aGift(client));
        const outcomes = await Promise.all(
          gifts.map((gift, index) =>
            (index % 2 === 0 ? tenant : second).authorizationCodes.redeem(code.key, gift),
          ),
        );
        assert.equal(occurrences(outcomes, 'redeemed'), 1);
        assert.equal(occurrences(outcomes, 'used'), 49);
        for (const { token } of gifts) assert.equal(await tenant.accessTokens.find(token.key), undefined);
      });
    }),
  );
}

function endings(make: MakeEngine): void {
  test(
    'what cannot be stored whole leaves the code unused',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, code } = await issued(tenant);
      const { grant, token } = aGift(client);
      await tenant.grants.create(grant, token);
      await assert.rejects(tenant.authorizationCodes.redeem(code.key, { grant: aGrant(client), token }));
      const fresh = aGift(client);
      assert.equal(await tenant.authorizationCodes.redeem(code.key, fresh), 'redeemed');
    }),
  );

  test(
    'an unknown code, and one of a client that is gone, is absent',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, code } = await issued(tenant);
      const { grant, token } = aGift(client);
      assert.equal(await tenant.authorizationCodes.redeem(aCode(client).key, { grant, token }), 'absent');
      await tenant.clients.delete(client, EVENT);
      assert.equal(await tenant.authorizationCodes.find(code.key), undefined);
      assert.equal(await tenant.authorizationCodes.redeem(code.key, { grant, token }), 'absent');
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );

  test(
    'codes are swept when they need not be kept any more, some at a time; others stay',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const old = await Promise.all(times(5, async () => await issued(tenant, { kept_until: NOW - 1 })));
      const kept = await issued(tenant, { expires_at: NOW - 100, kept_until: NOW });
      const foreign = await issued(other, { kept_until: NOW - 1 });
      assert.equal(await tenant.authorizationCodes.sweepExpired(NOW, 3), 3);
      assert.equal(await tenant.authorizationCodes.sweepExpired(NOW, 3), 2);
      assert.equal(await tenant.authorizationCodes.sweepExpired(NOW, 3), 0);
      for (const { code } of old) assert.equal(await tenant.authorizationCodes.find(code.key), undefined);
      assert.deepEqual(await tenant.authorizationCodes.find(kept.code.key), kept.code);
      assert.deepEqual(await other.authorizationCodes.find(foreign.code.key), foreign.code);
    }),
  );
}
