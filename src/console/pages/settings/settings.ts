import { useSignal } from '@preact/signals';
import type { ComponentChildren, VNode } from 'preact';
import type { AdminSetting } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting as put } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { action, badge, copyButton } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { code, component, div, p, span } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, type ListQuery, listPage } from '../../view/list-page.ts';
import { pageHead } from '../../view/page.ts';

export const settings = (): VNode => component(Settings, {});

/** The settings that the tenant uses. The server reads them at its start. */
function Settings(): VNode {
  return div(
    null,
    pageHead({ title: t('settings'), lead: t('settings.lead') }),
    settingList(async (query) => (await api.adminSettingList({ query })) as ItemPage<AdminSetting>),
  );
}

type LoadSettings = (query: ListQuery) => Promise<ItemPage<AdminSetting>>;

/** Lists settings, and where each value comes from. */
export const settingList = (load: LoadSettings): VNode => component(SettingList, { load });

function SettingList({ load }: { readonly load: LoadSettings }): VNode {
  const shown = useSignal<AdminSetting | undefined>(undefined);
  return div(
    null,
    listPage<AdminSetting>({
      label: t('settings'),
      search: { name: 'search', label: t('settings.search') },
      filters: [
        {
          name: 'changed',
          label: t('settings.all'),
          choices: [
            { value: 'true', label: t('settings.changed') },
            { value: 'false', label: t('settings.unchanged') },
          ],
        },
      ],
      load,
      keyOf: ({ name }) => name,
      columns: () => columns((one) => put(shown, one)()),
      empty: { icon: 'settings', title: t('list.nothing') },
    }),
    shown.value === undefined ? null : whole(shown.value, put(shown, undefined)),
  );
}

function columns(show: (setting: AdminSetting) => void): readonly Column<AdminSetting>[] {
  return [
    {
      label: t('settings.name'),
      className: 'wide',
      cell: ({ name, tenants }) => [
        code({ class: 'title' }, name),
        span({ class: 'sub' }, tWord('settings.tenants', tenants)),
      ],
    },
    { label: t('settings.value'), cell: (setting) => valueOf(setting) },
    { label: t('settings.origin'), cell: ({ origin }) => originOf(origin) },
    {
      label: '',
      className: 'narrow end',
      cell: (setting) => action({ label: t('settings.more'), size: 'tiny', onClick: () => show(setting) }),
    },
  ];
}

const originOf = (origin: string): VNode => badge(origin, origin === 'default' ? 'quiet' : 'accent');

const SHOWN_MAX = 120;

/** Shows a value in a line. A secret has no value here: the server does not send it. */
function valueOf({ secret, value, unit }: AdminSetting): ComponentChildren {
  if (secret) return span({ class: 'muted' }, value === null ? t('settings.unset') : t('settings.secret'));
  const text = textOf(value);
  const short = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
  return [code(null, short), unit === null ? null : span({ class: 'muted' }, ` ${unit}`)];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function whole(setting: AdminSetting, close: () => void): VNode {
  const { name, description, environment, origin, type, tenants } = setting;
  return dialog({
    title: name,
    close,
    wide: true,
    children: [
      p(null, description),
      facts([
        [t('settings.value'), valueOf(setting)],
        [t('settings.origin'), originOf(origin)],
        [t('settings.default'), code(null, textOf(setting.default))],
        [t('settings.type'), type],
        [t('settings.scope'), tWord('settings.tenants', tenants)],
        [
          t('settings.environment'),
          span({ class: 'actions' }, code({ class: 'grow' }, environment), copyButton(environment)),
        ],
      ]),
      p({ class: 'muted' }, t('settings.how')),
    ],
  });
}
