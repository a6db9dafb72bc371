import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { WebhookCount, WebhookDelivery } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { number, t, tCount, tWord } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, badge } from '../../view/controls.ts';
import { code, component, div, span } from '../../view/elements.ts';
import type { Column } from '../../view/list.ts';
import { type ItemPage, listPage } from '../../view/list-page.ts';
import { when } from '../../view/time.ts';

interface DeliveriesProps {
  readonly id: string;
}

export const deliveries = (props: DeliveriesProps): VNode => component(Deliveries, props);

/** An act on one failed delivery, or on all of them. */
interface Act {
  readonly verb: 'redeliver' | 'drop';
  readonly delivery?: string;
}

/** The deliveries that wait, and those that failed for good. */
function Deliveries({ id }: DeliveriesProps): VNode {
  const act = useSignal<Act | undefined>(undefined);
  const version = useSignal(0);
  const choose = (verb: Act['verb'], delivery?: string): void => {
    act.value = { verb, ...(delivery === undefined ? {} : { delivery }) };
  };
  return div(
    { class: 'stack' },
    may('admin:webhooks')
      ? div(
          { class: 'actions' },
          action({
            label: t('deliveries.redeliver.all'),
            icon: 'refresh',
            onClick: () => choose('redeliver'),
          }),
          action({ label: t('deliveries.drop.all'), kind: 'danger-quiet', onClick: () => choose('drop') }),
        )
      : null,
    listPage<WebhookDelivery>({
      label: t('webhooks.deliveries'),
      load: async (query) => (await api.adminWebhookDeliveryList({ id, query })) as ItemPage<WebhookDelivery>,
      keyOf: (delivery) => delivery.id,
      columns: () => columns(choose),
      empty: { icon: 'check', title: t('deliveries.none'), text: t('deliveries.none.text') },
      version: version.value,
    }),
    act.value === undefined ? null : question(act.value),
  );

  function question({ verb, delivery }: Act): VNode {
    const which = delivery === undefined ? 'all' : 'one';
    return confirmed({
      title: t(`deliveries.${verb}.${which}.title`),
      text: t(`deliveries.${verb}.text`),
      ...(delivery === undefined ? {} : { name: delivery }),
      label: t(`deliveries.${verb}`),
      harmless: verb === 'redeliver',
      close: setting(act, undefined),
      act: async (reason) => {
        const { deliveries: count } = (await sent(verb, id, delivery, reason)) as WebhookCount;
        toast(tCount(`deliveries.${verb}.done`, count));
        version.value += 1;
      },
    });
  }
}

async function sent(
  verb: Act['verb'],
  id: string,
  delivery: string | undefined,
  reason: object,
): Promise<unknown> {
  if (delivery === undefined)
    return verb === 'drop'
      ? await api.adminWebhookDrop({ id, ...reason })
      : await api.adminWebhookRedeliver({ id, ...reason });
  return verb === 'drop'
    ? await api.adminWebhookDeliveryDrop({ id, delivery, ...reason })
    : await api.adminWebhookDeliveryRedeliver({ id, delivery, ...reason });
}

function columns(choose: (verb: Act['verb'], delivery: string) => void): readonly Column<WebhookDelivery>[] {
  return [
    {
      label: t('deliveries.delivery'),
      cell: ({ id, problem }) => [
        code({ class: 'title' }, id),
        problem === null ? null : span({ class: 'sub' }, problem),
      ],
    },
    {
      label: t('state'),
      cell: ({ state }) => badge(tWord('deliveries.state', state), state === 'failed' ? 'bad' : 'accent'),
    },
    {
      label: t('deliveries.events'),
      cell: ({ events, missed }) =>
        span(
          { class: 'number' },
          number(events),
          missed === 0 ? null : span({ class: 'muted' }, ` (${t('deliveries.missed', number(missed))})`),
        ),
    },
    { label: t('deliveries.attempts'), cell: ({ attempts }) => number(attempts) },
    { label: t('deliveries.attempted_at'), cell: ({ attempted_at }) => when(attempted_at) },
    { label: t('deliveries.due_at'), cell: ({ due_at }) => when(due_at, '–') },
    {
      label: '',
      className: 'narrow end',
      cell: ({ id, state }) =>
        state === 'failed' && may('admin:webhooks')
          ? span(
              { class: 'actions' },
              action({
                label: t('deliveries.redeliver'),
                size: 'tiny',
                onClick: () => choose('redeliver', id),
              }),
              action({
                label: t('deliveries.drop'),
                size: 'tiny',
                kind: 'danger-quiet',
                onClick: () => choose('drop', id),
              }),
            )
          : null,
    },
  ];
}
