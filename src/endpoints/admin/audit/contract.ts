import { said, TEXT } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract, type QueryParameter } from '../operation-contract.ts';

/** The parameters that select events. An event must match all that are given. */
const FILTER: Readonly<Record<string, QueryParameter>> = {
  action: {
    words:
      'Actions, separated by commas, such as `client.create`. `client` alone stands for every action of clients.',
  },
  actor: { words: 'The actor, such as `cli` or `admin:account:SUB`. `master` alone stands for every label.' },
  client_id: { words: 'The client that the event concerns.' },
  sub: { words: 'The account that the event concerns.' },
  address: { words: 'The network address, as the audit has it.' },
  outcome: { words: '`done` or `refused`.' },
  request_id: { words: 'The identifier of one request, as the log and error pages show it.' },
};

const SPAN: Readonly<Record<string, QueryParameter>> = {
  since: { words: 'From this time on: a time of RFC 3339, or a duration before now such as `1h`.' },
  until: { words: 'Before this time, in the same forms.' },
};

export const auditList = operationContract({
  kind: 'list',
  name: 'admin-audit-list',
  path: '/admin/v1/audit',
  purpose:
    'Lists the events of the audit. A page can have fewer events than `limit`, or none, and `next` all the same: then the search goes on there.',
  scope: 'admin:audit:read',
  query: { ...FILTER, ...SPAN },
  item: named('AuditEvent'),
  sort: ['-at', 'at'],
});

export const auditExport = operationContract({
  kind: 'stream',
  name: 'admin-audit-export',
  path: '/admin/v1/audit/export',
  purpose: 'Exports all selected events of the audit, as fast as the caller reads.',
  scope: 'admin:audit:read',
  query: {
    ...FILTER,
    ...SPAN,
    sort: { words: '`at` (the default) or `-at`.', schema: { enum: ['at', '-at'] } },
    format: {
      words: '`jsonl` (the default): one JSON object on each line. `csv`: RFC 4180, with a line of names.',
      schema: { enum: ['jsonl', 'csv'] },
    },
  },
  problems: ['too_many_requests'],
  content: {
    'application/x-ndjson': said('One event on each line.', TEXT),
    'text/csv': said('A line of names, then one event on each line.', TEXT),
  },
  words: 'The events. An answer that ends without its last chunk is incomplete.',
});

export const eventsFollow = operationContract({
  kind: 'stream',
  name: 'admin-events',
  path: '/admin/v1/events',
  purpose:
    'Follows the audit: sends each new event as it is committed (server-sent events). Reconnect with `Last-Event-ID`, and nothing is lost.',
  scope: 'admin:audit:read',
  query: {
    ...FILTER,
    cursor: {
      words:
        'Begins after this event, for callers that cannot send `Last-Event-ID`, which comes first. `0` begins with the oldest event. Default: the next event.',
    },
  },
  headers: {
    'Last-Event-ID': { words: 'The `id` of the last event that the caller has received.' },
  },
  problems: ['too_many_requests'],
  content: { 'text/event-stream': said('Events, comments as heartbeats, `gap` and `end`.', TEXT) },
  words: 'The events as they come. The stream ends when the token expires or is revoked.',
});
