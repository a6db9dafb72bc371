import type { ResolvedSettings } from '../config/load-settings.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { Surroundings } from './command.ts';
import { explain } from './failure.ts';
import { commandEvent } from './session.ts';

/**
 * Records an act on backups in the audit of the default tenant, where those over HTTP are. The act is done: a database that takes
 * no event, because its disk is full or its schema is another one, makes a line on standard error and no failure.
 */
export async function recordBackupAct(
  { settings }: ResolvedSettings,
  action: AuditEvent['action'],
  detail: string,
  { complain }: Pick<Surroundings, 'complain'>,
): Promise<void> {
  try {
    const { openStorage } = await import('../process/storage.ts');
    const storage = await openStorage(settings, { check: false, mode: 'production' });
    try {
      const at = Math.floor(Date.now() / 1000);
      await storage.forTenant(DEFAULT_TENANT).audit.append(commandEvent(at, action, detail));
    } finally {
      await storage.close();
    }
  } catch (failure) {
    const [why = ''] = explain('the audit', failure).lines;
    complain(`${why} (the audit has no event ${action})`);
  }
}
