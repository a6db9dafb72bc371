import { notFound } from '../../../spec/problems.ts';
import { listing, reading } from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import { settingList, settingRead } from './contract.ts';

export interface AdminSettingNeeds {
  readonly administered: {
    readonly settings: () => readonly { readonly name: string; readonly origin: string }[];
  };
}

export const adminSettings = [
  listing<AdminSettingNeeds>(
    settingList,
    async ({ administered }, { query: { search = '', changed }, page }) => {
      const found = administered
        .settings()
        .filter(({ name }) => name.includes(search))
        .filter(({ origin }) => changed === undefined || (origin !== 'default') === (changed === 'true'));
      return pageIn(
        found.map((setting) => ({ ...setting })),
        page,
        'name',
      );
    },
  ),
  reading<AdminSettingNeeds>(settingRead, async ({ administered }, { segments }) => {
    const item = administered.settings().find(({ name }) => name === segments['name']);
    if (item === undefined) throw notFound('setting');
    return { item: { ...item } };
  }),
];
