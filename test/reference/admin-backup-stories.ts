import type { BackupsInMemory } from '../../src/testing/backups.ts';
import { ADMIN } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

/** A backup that is made, verified, downloaded in part and deleted. */
export const backupStory: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const backups = tenant.platform.backups as BackupsInMemory;
  const headers = { 'audit-reason': 'before the upgrade', 'idempotency-key': 'backup-2027-01-15' };
  const { json } = await tenant.send('admin-backup-create', { bearer: ADMIN, headers });
  story.show('A backup begins', 201);
  await tenant.send('admin-backup-create', { bearer: ADMIN });
  story.show('Another one meanwhile', 409);
  backups.finish();
  const segments = { id: String(json['id']) };
  await tenant.send('admin-backup-read', { bearer: ADMIN, segments });
  story.show('The backup is complete', 200);
  await tenant.send('admin-backup-verify', { bearer: ADMIN, segments });
  story.show('A verification begins', 200);
  backups.finish();
  const query = 'fields=id,state,verification';
  await tenant.send('admin-backup-list', { bearer: ADMIN, query });
  story.show('The list, with the outcome', 200);
  await tenant.send('admin-backup-download', { bearer: ADMIN, segments, headers: { range: 'bytes=0-6' } });
  story.show('The first octets of the file', 206);
  await tenant.send('admin-backup-delete', { bearer: ADMIN, segments, headers: { 'if-match': '*' } });
  story.show('The deletion', 204);
  return story;
};
