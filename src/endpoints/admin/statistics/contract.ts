import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

export const statistics = operationContract({
  kind: 'item',
  name: 'admin-statistics',
  path: '/admin/v1/statistics',
  purpose: 'Returns figures of the server: its rows, its answers, and what expires next.',
  scope: 'admin:settings:read',
  item: named('AdminStatistics'),
});

export const refusalList = operationContract({
  kind: 'list',
  name: 'admin-refusal-list',
  path: '/admin/v1/refusals',
  purpose: 'Lists the latest requests that the processes of the server refused, the newest first.',
  scope: 'admin:audit:read',
  query: {
    client_id: { words: 'Only requests that claimed to come from this client.' },
    reason: { words: 'Only refusals for this reason.' },
    endpoint: { words: 'Only refusals at this endpoint.' },
  },
  item: named('AdminRefusal'),
});
