import { FAPI_PROFILES } from '../../../spec/fapi-profiles.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

export const fapiReportList = operationContract({
  kind: 'list',
  name: 'admin-fapi-report',
  path: '/admin/v1/fapi-report',
  purpose:
    'Says of each client what it lacks for a FAPI 2.0 profile, whether or not the server has that profile, and how to change it. With `fits`, a page may be short, or empty with `next`: go on until it is absent.',
  scope: 'admin:clients:read',
  query: {
    profile: { words: 'The profile. Default: `fapi-2.0`.', schema: { enum: FAPI_PROFILES } },
    client_id: { words: 'Only this client.' },
    fits: {
      words: '`false`: only clients that lack something. `true`: only the others.',
      schema: { enum: ['true', 'false'] },
    },
  },
  item: named('AdminFapiReport'),
});
