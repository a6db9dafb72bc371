import type { VNode } from 'preact';
import type { Webhook } from '../../../client/client.ts';
import { api, isAbsent } from '../../state/api.ts';
import { useLoaded } from '../../state/load.ts';
import { number, t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import { badge } from '../../view/controls.ts';
import { code, component, div, li, span, ul } from '../../view/elements.ts';
import { facts } from '../../view/facts.ts';
import { card, empty, failed, pageHead, skeleton, tabs } from '../../view/page.ts';
import { when } from '../../view/time.ts';
import { deliveries } from './deliveries.ts';
import { actionBadges, backlogBadges, stateBadge } from './describe.ts';
import { webhookActions } from './webhook-actions.ts';

interface WebhookPageProps {
  readonly id: string;
  readonly tab: string;
  readonly key: string;
}

export const webhookPage = (props: WebhookPageProps): VNode => component(WebhookPage, props);

function WebhookPage({ id, tab }: WebhookPageProps): VNode {
  const { value, problem, failure, reload } = useLoaded(id, async () => {
    const { body, headers } = await api.call('adminWebhookRead', { id });
    return { webhook: body as Webhook, etag: headers.get('etag') ?? '*' };
  });
  const up = { to: href(['webhooks']), label: t('webhooks') };
  if (value === undefined) {
    const content = isAbsent(failure)
      ? empty('webhook', t('webhooks.absent'))
      : problem === undefined
        ? skeleton()
        : failed(problem, reload);
    return div(null, pageHead({ title: id, up }), card(undefined, content, { flush: true }));
  }
  const { webhook } = value;
  const { description, url } = webhook;
  const isDeliveries = tab === 'deliveries';
  return div(
    null,
    pageHead({
      title: description === '' ? url : description,
      lead: description === '' ? undefined : url,
      up,
      actions: webhookActions({ ...value, reload }),
    }),
    tabs(t('webhooks'), [
      { to: href(['webhooks', id]), label: t('client.summary'), current: !isDeliveries },
      {
        to: href(['webhooks', id, 'deliveries']),
        label: t('webhooks.deliveries'),
        current: isDeliveries,
      },
    ]),
    isDeliveries ? deliveries({ id }) : summary(webhook),
  );
}

function summary(webhook: Webhook): VNode {
  const { url, has_query, events_max, delivered, delivered_at, missed, created_at, updated_at } = webhook;
  return div(
    { class: 'columns' },
    card(
      t('webhooks.receiver'),
      facts([
        [t('webhooks.url'), code(null, `${url}${has_query ? '?…' : ''}`)],
        [t('state'), stateBadge(webhook)],
        [t('webhooks.actions'), actionBadges(webhook)],
        [t('webhooks.events_max'), number(events_max)],
        [t('webhooks.secrets'), secretList(webhook)],
      ]),
    ),
    card(
      t('client.life'),
      facts([
        [t('webhooks.deliveries'), backlogBadges(webhook) ?? t('deliveries.none')],
        [t('webhooks.delivered'), number(delivered)],
        [t('webhooks.delivered_at'), when(delivered_at)],
        [t('webhooks.missed'), missed === 0 ? number(0) : badge(number(missed), 'bad')],
        [t('client.created_at'), when(created_at)],
        [t('account.updated_at'), when(updated_at)],
      ]),
    ),
  );
}

const secretList = ({ secrets }: Webhook): VNode =>
  ul(
    { class: 'plain-list' },
    secrets.map(({ id, created_at, expires_at }) =>
      li(
        { key: id },
        code(null, id),
        span({ class: 'muted' }, ' · ', t('client.created_at'), ' ', when(created_at)),
        expires_at === null
          ? null
          : span({ class: 'muted' }, ' · ', t('client.expires_at'), ' ', when(expires_at)),
      ),
    ),
  );
