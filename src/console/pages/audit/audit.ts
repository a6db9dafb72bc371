import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AuditEvent } from '../../../client/client.ts';
import { api, wordsOf } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { href, route } from '../../state/route.ts';
import { saveFile } from '../../state/save-file.ts';
import { toast } from '../../state/toasts.ts';
import { action, menu } from '../../view/controls.ts';
import { component, div } from '../../view/elements.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead, tabs } from '../../view/page.ts';
import { eventColumns, wholeEvent } from './event.ts';
import { follow } from './follow.ts';

export const audit = ([tab = '']: readonly string[]): VNode => component(Audit, { tab });

const SPANS = ['1h', '1d', '7d', '30d'] as const;
const GROUPS = [
  'client',
  'initial-access-token',
  'account',
  'session',
  'sign-in',
  'consent',
  'server-key',
  'tenant',
  'backup',
  'federation',
  'trust-anchor',
  'webhook',
] as const;

/** The audit: who did what, when, from where and why; searched by the server, followed live, and exported. */
function Audit({ tab }: { readonly tab: string }): VNode {
  const shown = useSignal<AuditEvent | undefined>(undefined);
  const show = (event: AuditEvent): void => setting(shown, event)();
  const isLive = tab === 'live';
  return div(
    null,
    pageHead({
      title: t('audit'),
      lead: t('audit.lead'),
      actions: menu({
        label: t('audit.export'),
        face: t('audit.export'),
        faceClass: 'button',
        children: (close) =>
          (['csv', 'jsonl'] as const).map((format) =>
            action({
              label: t(`audit.export.${format}`),
              kind: 'plain',
              icon: 'download',
              onClick: () => {
                close();
                void exported(format);
              },
            }),
          ),
      }),
    }),
    tabs(t('audit'), [
      { to: href(['audit']), label: t('audit.search'), current: !isLive },
      { to: href(['audit', 'live']), label: t('audit.live'), current: isLive },
    ]),
    isLive
      ? follow(show)
      : listPage<AuditEvent>({
          label: t('audit'),
          search: { name: 'client_id', label: t('audit.client') },
          filters: [
            { name: 'actor', label: t('audit.actor') },
            { name: 'sub', label: t('audit.account') },
            {
              name: 'action',
              label: t('audit.actions.all'),
              choices: GROUPS.map((value) => ({ value, label: tWord('audit.group', value) })),
            },
            {
              name: 'outcome',
              label: t('audit.outcomes.all'),
              choices: ['done', 'refused'].map((value) => ({ value, label: tWord('audit.outcome', value) })),
            },
            {
              name: 'since',
              label: t('audit.since.all'),
              choices: SPANS.map((value) => ({ value, label: tWord('audit.since', value) })),
            },
          ],
          load: async (query) => (await api.adminAuditList({ query })) as ItemPage<AuditEvent>,
          keyOf: ({ id }) => id,
          columns: () => eventColumns(show),
          empty: { icon: 'audit', title: t('audit.none') },
        }),
    shown.value === undefined ? null : wholeEvent(shown.value, setting(shown, undefined)),
  );
}

const FILTERS: ReadonlySet<string> = new Set(['client_id', 'actor', 'sub', 'action', 'outcome', 'since']);

/** Downloads the events that the filters of the page select. */
async function exported(format: 'csv' | 'jsonl'): Promise<void> {
  const chosen = Object.entries(route.value.query).filter(
    ([name, value]) => FILTERS.has(name) && value !== '',
  );
  try {
    const text = await api.adminAuditExport({ query: { ...Object.fromEntries(chosen), format } });
    const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
    saveFile(new Blob([text], { type }), `audit.${format}`);
  } catch (failure) {
    toast(wordsOf(failure));
  }
}
