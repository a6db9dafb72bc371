import { FLAG } from '../../../spec/json-schema.ts';
import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

export const settingList = operationContract({
  kind: 'list',
  name: 'admin-setting-list',
  path: '/admin/v1/settings',
  purpose: 'Lists the settings with the values that the tenant uses, and where each comes from.',
  scope: 'admin:settings:read',
  query: {
    search: { words: 'A part of the name.' },
    changed: { words: 'Whether the value comes from elsewhere than the default.', schema: FLAG },
  },
  item: named('AdminSetting'),
});

export const settingRead = operationContract({
  kind: 'item',
  name: 'admin-setting-read',
  path: '/admin/v1/settings/{name}',
  purpose: 'Returns one setting.',
  segments: { name: 'The name of the setting, such as `listen.port`.' },
  scope: 'admin:settings:read',
  item: named('AdminSetting'),
});
