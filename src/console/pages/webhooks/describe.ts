import type { ComponentChildren, VNode } from 'preact';
import type { Webhook, WebhookSecret } from '../../../client/client.ts';
import { number, t, tWord } from '../../state/messages.ts';
import { badge, badges } from '../../view/controls.ts';
import { span } from '../../view/elements.ts';
import type { OnceShown } from '../../view/secret.ts';

export const stateBadge = ({ enabled }: Pick<Webhook, 'enabled'>): VNode =>
  enabled ? badge(t('webhooks.enabled'), 'good') : badge(t('webhooks.paused'), 'warn');

/** Shows how many deliveries wait and have failed; nothing without any. */
export function backlogBadges({
  waiting = 0,
  failed = 0,
}: Pick<Webhook, 'waiting' | 'failed'>): VNode | null {
  if (waiting + failed === 0) return null;
  return badges(
    failed === 0 ? null : badge(t('webhooks.backlog.failed', number(failed)), 'bad'),
    waiting === 0 ? null : badge(t('webhooks.backlog.waiting', number(waiting)), 'accent'),
  );
}

/** Shows which events a webhook gets: nouns and actions, or all. */
export function actionBadges({ actions }: Pick<Webhook, 'actions'>): ComponentChildren {
  if (actions.length === 0) return span({ class: 'muted' }, t('webhooks.actions.all'));
  return badges(...actions.map((name) => badge(wordsOf(name))));
}

/** A noun has the words of the group of its actions. */
const wordsOf = (name: string): string => tWord(name.includes('.') ? 'audit.action' : 'audit.group', name);

/** Returns the parts of a secret that a receiver needs. */
export const secretsOf = ({ secret, secret_id }: WebhookSecret): readonly OnceShown[] => [
  { label: t('webhooks.secret'), value: secret },
  { label: t('webhooks.secret_id'), value: secret_id },
];
