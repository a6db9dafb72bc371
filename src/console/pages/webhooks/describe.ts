import type { ComponentChildren, VNode } from 'preact';
import type { Webhook, WebhookSecret } from '../../../client/client.ts';
import { t, tWord } from '../../state/messages.ts';
import { badge, badges } from '../../view/controls.ts';
import { span } from '../../view/elements.ts';
import type { OnceShown } from '../../view/secret.ts';

export const stateBadge = ({ enabled }: Pick<Webhook, 'enabled'>): VNode =>
  enabled ? badge(t('webhooks.enabled'), 'good') : badge(t('webhooks.paused'), 'warn');

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
