import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import {
  aClient,
  aToken,
  EVENT,
  endOfToken,
  HARD_TEXTS,
  LABEL,
  NOW,
  OPEN,
  occurrences,
  times,
} from './stored-examples.ts';

export function accessTokenContract(make: MakeEngine): void {
  issuing(make);
  revoking(make);
  livesOfClients(make);
  sweeping(make);
}

function issuing(make: MakeEngine): void {
  test(
    'an issued token is found as it was issued, and by its own tenant only',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const introspection of HARD_TEXTS) {
        const token = aToken(undefined, { introspection });
        await tenant.accessTokens.issue(token);
        assert.deepEqual(await tenant.accessTokens.find(token.key), token);
        assert.equal(await other.accessTokens.find(token.key), undefined);
      }
      assert.equal(await tenant.accessTokens.find(aToken().key), undefined);
    }),
  );

  test(
    'an initial access token has its label, an ordinary one has none',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const initial = aToken();
      const ordinary = aToken();
      await tenant.accessTokens.issueInitial(initial, LABEL, EVENT);
      await tenant.accessTokens.issue(ordinary);
      assert.deepEqual(await tenant.accessTokens.find(initial.key), initial);
      assert.deepEqual(await tenant.accessTokens.findInitial(initial.key), LABEL);
      assert.equal(await other.accessTokens.findInitial(initial.key), undefined);
      assert.equal(await tenant.accessTokens.findInitial(ordinary.key), undefined);
    }),
  );

  test(
    'a write that fails takes none of the writes beside it with it, and leaves no half of itself',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = aToken();
      await tenant.accessTokens.issue(token);
      const before = aToken();
      const after = aToken();
      const settled = await Promise.allSettled([
        tenant.accessTokens.issue(before),
        tenant.accessTokens.issue({ ...token, introspection: '{"forged":true}' }),
        tenant.accessTokens.issueInitial({ ...token, expires_at: NOW + 1 }, LABEL, EVENT),
        tenant.accessTokens.issueInitial(after, LABEL, EVENT),
      ]);
      assert.deepEqual(
        settled.map(({ status }) => status),
        ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(await tenant.accessTokens.find(before.key), before);
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      assert.equal(await tenant.accessTokens.findInitial(token.key), undefined);
      assert.deepEqual(await tenant.accessTokens.findInitial(after.key), LABEL);
    }),
  );

  test(
    'a used initial access token that is issued again is refused and stays unknown',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = aToken();
      await tenant.accessTokens.issueInitial(token, LABEL, EVENT);
      await tenant.clients.create(aClient(), { ...OPEN, initialAccessToken: token.key });
      await assert.rejects(tenant.accessTokens.issueInitial(token, LABEL, EVENT));
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.equal(await tenant.accessTokens.findInitial(token.key), undefined);
    }),
  );
}

function revoking(make: MakeEngine): void {
  test(
    'a revoked token is gone, once, in its own tenant, and the journal tells of it',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const token = aToken(undefined, { sub: 'alice' });
      const beside = aToken();
      await tenant.accessTokens.issue(token);
      await tenant.accessTokens.issue(beside);
      assert.equal(await other.accessTokens.revoke(token.key, NOW), false);
      const answers = await Promise.all(times(10, () => tenant.accessTokens.revoke(token.key, NOW)));
      assert.equal(occurrences(answers, true), 1);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.deepEqual(await tenant.accessTokens.find(beside.key), beside);
      assert.deepEqual(await tenant.journal.since(0), [endOfToken(token)]);
    }),
  );

  test(
    'a revoked initial access token registers no client: of a concurrent revocation and registration exactly one happens',
    onEmptyStorage(make, async ({ tenant }) => {
      for (let round = 0; round < 10; round += 1) {
        const token = aToken();
        await tenant.accessTokens.issueInitial(token, LABEL, EVENT);
        const register = async () =>
          await tenant.clients.create(aClient(), { ...OPEN, initialAccessToken: token.key });
        const revoke = async () => await tenant.accessTokens.revoke(token.key, NOW);
        const outcomes = await Promise.all(
          round % 2 === 0 ? [register(), revoke()] : [revoke(), register()].toReversed(),
        );
        assert.ok(outcomes.includes(true) !== outcomes.includes('created'), String(outcomes));
        assert.equal(await tenant.accessTokens.find(token.key), undefined);
        assert.equal(await tenant.accessTokens.findInitial(token.key), undefined);
      }
    }),
  );
}

function livesOfClients(make: MakeEngine): void {
  test(
    'the token of a client is found while the client lives, through every replacement',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const token = aToken(client);
      await tenant.clients.create(client, OPEN);
      await tenant.accessTokens.issue(token);
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      await tenant.clients.replace({ ...client, version: 2 }, 1);
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      await tenant.clients.delete({ ...client, version: 2 }, EVENT);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );

  test(
    'a deleted id that is registered again does not revive the tokens of its predecessor',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const token = aToken(client);
      await tenant.clients.create(client, OPEN);
      await tenant.accessTokens.issue(token);
      await tenant.clients.delete(client, EVENT);
      const successor = aClient({ client_id: client.client_id });
      await tenant.clients.create(successor, { ...OPEN, reuseDeletedId: true });
      const fresh = aToken(successor);
      await tenant.accessTokens.issue(fresh);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.deepEqual(await tenant.accessTokens.find(fresh.key), fresh);
    }),
  );

  test(
    'a token issued while its client is being deleted is not found afterwards',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const tokens = times(20, () => aToken(client));
      const [early, late] = [tokens.slice(0, 10), tokens.slice(10)];
      await Promise.all([
        ...early.map((token) => tenant.accessTokens.issue(token)),
        tenant.clients.delete(client, EVENT),
        ...late.map((token) => tenant.accessTokens.issue(token)),
      ]);
      for (const token of tokens) assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );

  test(
    'a client of the same id and instance in another tenant does not make a token valid',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      const token = aToken(client);
      await other.clients.create(client, OPEN);
      await tenant.accessTokens.issue(token);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );
}

function sweeping(make: MakeEngine): void {
  test(
    'expired tokens are swept in batches; the living and other tenants keep theirs',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const expired = times(25, (index) => aToken(undefined, { expires_at: NOW - 1 - index }));
      const living = [NOW, NOW + 1, NOW + 600].map((expires_at) => aToken(undefined, { expires_at }));
      const foreign = aToken(undefined, { expires_at: NOW - 5 });
      await Promise.all([...expired, ...living].map((token) => tenant.accessTokens.issue(token)));
      await other.accessTokens.issue(foreign);
      const removed = [];
      for (let round = 0; round < 4; round += 1)
        removed.push(await tenant.accessTokens.sweepExpired(NOW, 10));
      assert.deepEqual(removed, [10, 10, 5, 0]);
      for (const token of expired) assert.equal(await tenant.accessTokens.find(token.key), undefined);
      for (const token of living) assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      assert.deepEqual(await other.accessTokens.find(foreign.key), foreign);
    }),
  );

  test(
    'tokens of deleted clients and unused initial access tokens are swept when they expire',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const initial = aToken();
      await tenant.clients.create(client, OPEN);
      await tenant.accessTokens.issue(aToken(client));
      await tenant.accessTokens.issueInitial(initial, LABEL, EVENT);
      await tenant.clients.delete(client, EVENT);
      assert.equal(await tenant.accessTokens.sweepExpired(NOW, 100), 0);
      assert.equal(await tenant.accessTokens.sweepExpired(NOW + 601, 100), 2);
      assert.equal(await tenant.accessTokens.findInitial(initial.key), undefined);
    }),
  );
}
