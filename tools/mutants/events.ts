import type { Mutant } from './mutant.ts';

const AUDIT_TEST = 'src/endpoints/admin/audit/audit.test.ts';
const DELIVERY_TEST = 'src/events/webhooks/deliver.test.ts';

/** Faults of streams of events and of webhooks. */
export const EVENTS: readonly Mutant[] = [
  {
    name: 'foreign-event-cursor',
    fault:
      'A stream takes the cursor of another tenant, or of the time before a restoration, for a place of its own.',
    edits: [
      {
        file: 'src/events/event-cursor.ts',
        find: 'return of === tag ? Number(sequence) : undefined;',
        replace: "return of === '' ? undefined : Number(sequence);",
      },
    ],
    killers: [
      {
        file: AUDIT_TEST,
        test: 'a cursor of another tenant, of nothing, or ahead of the newest event is refused with 400',
      },
    ],
  },
  {
    name: 'stream-outlives-token',
    fault: 'A stream goes on after its token was revoked.',
    edits: [
      {
        file: 'src/events/event-stream.ts',
        find: "if (!(await isLive())) return yield end('token-revoked');",
        replace: 'await isLive();',
      },
    ],
    killers: [
      {
        file: AUDIT_TEST,
        test: 'a stream ends when its token expires or is revoked, when the process stops, and when its reader is slow, and says so',
      },
    ],
  },
  {
    name: 'webhook-former-secret-for-ever',
    fault: 'A former secret of a webhook signs after its overlap has ended.',
    edits: [
      {
        file: 'src/events/webhooks/deliver.ts',
        find: 'expires_at === null || expires_at > now',
        replace: 'expires_at === null || expires_at > 0',
      },
    ],
    killers: [
      {
        file: DELIVERY_TEST,
        test: 'the query of the address goes to the receiver only, and a former secret signs until it expires',
      },
    ],
  },
  {
    name: 'webhook-accepts-redirect',
    fault: 'A redirect counts as an accepted delivery, so its events are lost.',
    edits: [
      {
        file: 'src/events/webhooks/deliver.ts',
        find: 'posted.code < 300 ?',
        replace: 'posted.code < 400 ?',
      },
    ],
    killers: [
      {
        file: DELIVERY_TEST,
        test: 'a webhook with too many failed deliveries plans no more: its events wait in the audit',
      },
    ],
  },
];
