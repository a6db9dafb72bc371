import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredTrustAnchor } from '../../ports/trust-anchor-store.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import { NOW } from './stored-examples.ts';

const anAnchor = (changes: Partial<StoredTrustAnchor> = {}): StoredTrustAnchor => ({
  entity_id: 'https://anchor.example',
  version: 1,
  content: '{"keys":[]}',
  ...changes,
});

const anEvent = (detail: string): AuditEvent => ({
  at: NOW,
  action: 'trust-anchor.accept',
  outcome: 'done',
  actor: 'cli',
  client_id: null,
  request_id: 'r1',
  detail,
});

export function trustAnchorContract(make: MakeEngine): void {
  test(
    'records of trust anchors are in the order of their identifiers, and each tenant has its own',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [first, second] = [anAnchor(), anAnchor({ entity_id: 'https://Z.example', content: '{"ü":1}' })];
      assert.deepEqual(await tenant.trustAnchors.all(), []);
      assert.equal(await tenant.trustAnchors.put(first, []), true);
      assert.equal(await tenant.trustAnchors.put(second, []), true);
      assert.deepEqual(await tenant.trustAnchors.all(), [second, first]);
      assert.deepEqual(await other.trustAnchors.all(), []);
      assert.equal(await other.trustAnchors.remove(first.entity_id, anEvent('x')), false);
      assert.equal((await tenant.trustAnchors.all()).length, 2);
    }),
  );

  test(
    'of two changes of a trust anchor that have read the same version, one succeeds; the other changes and records nothing',
    onEmptyStorage(make, async ({ tenant: { trustAnchors, audit } }) => {
      const put = async (version: number, content: string): Promise<boolean> =>
        await trustAnchors.put(anAnchor({ version, content }), [anEvent(content)]);
      assert.deepEqual((await Promise.all([put(1, '1'), put(1, '2')])).toSorted(), [false, true]);
      assert.equal(await put(3, '3'), false);
      assert.deepEqual((await Promise.all([put(2, '4'), put(2, '5')])).toSorted(), [false, true]);
      const [stored] = await trustAnchors.all();
      assert.equal(stored?.version, 2);
      const details = (await audit.page(0, 10)).map(({ detail }) => detail);
      assert.equal(details.length, 2);
      assert.equal(details[1], stored?.content);
    }),
  );

  test(
    'a record of a trust anchor is removed once, with one event, and can be added again',
    onEmptyStorage(make, async ({ tenant: { trustAnchors, audit } }) => {
      await trustAnchors.put(anAnchor(), []);
      const remove = async (): Promise<boolean> =>
        await trustAnchors.remove(anAnchor().entity_id, anEvent('gone'));
      assert.deepEqual((await Promise.all([remove(), remove()])).toSorted(), [false, true]);
      assert.deepEqual(await trustAnchors.all(), []);
      assert.equal((await audit.page(0, 10)).length, 1);
      assert.equal(await trustAnchors.put(anAnchor(), []), true);
    }),
  );
}
