import { integer, type Setting, seconds } from './setting.ts';

const DAY = 86_400;
const YEAR = 31_536_000;

/** How long former versions of clients and deleted clients are kept (ADR 81). */
export const HISTORY_SETTINGS = {
  'history.versions-per-client': integer({
    tenants: 'inherited',
    default: 10,
    min: 0,
    max: 1000,
    unit: 'versions',
    description:
      'The maximum number of former versions that are kept of each client. A change beyond it deletes the oldest version. 0 = no version is kept, and the next sweep deletes those that are there.',
  }),
  'history.lifetime': seconds({
    tenants: 'inherited',
    default: 90 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'How long a former version of a client is kept after the change that ended it. 0 = no version is kept, and the next sweep deletes those that are there. Versions hold everything that the client held, also its `data`: set it as short as your rules on personal data demand.',
  }),
  'history.deleted-lifetime': seconds({
    tenants: 'inherited',
    default: 30 * DAY,
    min: 0,
    max: 10 * YEAR,
    description:
      'Grace period in which a deleted client can be restored, without its tokens. 0 = a deletion is final, and the next sweep deletes the clients that wait. Clients that the server ends itself, such as idle and expired ones, are not kept.',
  }),
  'history.deleted-clients-max': integer({
    tenants: 'inherited',
    default: 10_000,
    min: 1,
    max: 100_000_000,
    unit: 'clients',
    description:
      'The maximum number of deleted clients that can be restored. The sweep deletes those beyond it, the longest deleted first, so that mass deletions do not fill the database. Raise it before you delete more clients at once and want to be able to undo that.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
