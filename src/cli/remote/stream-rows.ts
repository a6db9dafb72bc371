import { byId, type RemoteRow } from './row.ts';

/** The commands on streams of security events, with their operations. */
export const STREAM_ROWS: Readonly<Record<string, RemoteRow>> = {
  'streams list': { operation: 'admin-event-stream-list', lists: true },
  'streams show': { operation: 'admin-event-stream-read', request: byId },
  ...Object.fromEntries(
    ['enable', 'pause', 'disable', 'delete', 'redeliver', 'drop'].map((verb) => [
      `streams ${verb}`,
      { operation: `admin-event-stream-${verb}`, request: byId },
    ]),
  ),
};
