import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { Webhook } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { number, t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { action, badge } from '../../view/controls.ts';
import { a, component, div, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { pageHead } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { actionBadges, backlogBadges, stateBadge } from './describe.ts';
import { webhookPage } from './webhook.ts';
import { newWebhook } from './webhook-form.ts';

/** The webhooks, or one of them. */
export function webhooks([id, tab = '']: readonly string[]): VNode {
  return id === undefined ? component(Webhooks, {}) : webhookPage({ id, tab, key: id });
}

function Webhooks(): VNode {
  const isMaking = useSignal(false);
  const version = useSignal(0);
  return div(
    null,
    pageHead({
      title: t('webhooks'),
      lead: t('webhooks.lead'),
      actions: may('admin:webhooks')
        ? action({ label: t('webhooks.new'), icon: 'add', kind: 'primary', onClick: setting(isMaking, true) })
        : undefined,
    }),
    listPage<Webhook>({
      label: t('webhooks'),
      load: async (query) => (await api.adminWebhookList({ query })) as ItemPage<Webhook>,
      keyOf: ({ id }) => id,
      columns,
      empty: { icon: 'webhook', title: t('webhooks.none'), text: t('webhooks.none.text') },
      version: version.value,
    }),
    isMaking.value
      ? newWebhook({
          close: () => {
            isMaking.value = false;
            version.value += 1;
          },
        })
      : null,
  );
}

function columns(): readonly Column<Webhook>[] {
  return [
    {
      label: t('webhooks.receiver'),
      // The address is text: a link would leave the console for a place that others chose.
      cell: ({ id, url, description }) => [
        a({ class: 'title', href: href(['webhooks', id]) }, description === '' ? url : description),
        description === '' ? null : span({ class: 'sub' }, url),
      ],
    },
    { label: t('state'), cell: stateBadge },
    { label: t('webhooks.actions'), cell: actionBadges },
    { label: t('webhooks.deliveries'), cell: backlogBadges },
    { label: t('webhooks.delivered_at'), cell: ({ delivered_at }) => when(delivered_at) },
    {
      label: t('webhooks.missed'),
      cell: ({ missed }) => (missed === 0 ? null : badge(number(missed), 'bad')),
    },
  ];
}
