import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { Webhook, WebhookSecret, WebhookTest } from '../../../client/client.ts';
import { api, wordsOf } from '../../state/api.ts';
import { into, setting } from '../../state/into.ts';
import { type MessageKey, t } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed, type Reason } from '../../view/confirm.ts';
import { action, menu, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { component, div, p } from '../../view/elements.ts';
import { check } from '../../view/fields.ts';
import type { IconName } from '../../view/icon.ts';
import { shownOnce } from '../../view/secret.ts';
import { secretsOf } from './describe.ts';
import { webhookEditor } from './webhook-form.ts';

interface ActionsProps {
  readonly webhook: Webhook;
  readonly etag: string;
  readonly reload: () => void;
}

/** Acts that ask first. */
type Act = 'pause' | 'resume' | 'rotate' | 'delete';

const ICONS: Readonly<Record<Act | 'edit', IconName>> = {
  edit: 'settings',
  pause: 'close',
  resume: 'check',
  rotate: 'key',
  delete: 'trash',
};

export const webhookActions = (props: ActionsProps): VNode => component(WebhookActions, props);

/** The acts on a webhook. */
function WebhookActions(props: ActionsProps): VNode | null {
  const { webhook, reload } = props;
  const act = useSignal<Act | 'edit' | undefined>(undefined);
  const isFresh = useSignal(false);
  const made = useSignal<WebhookSecret | undefined>(undefined);
  if (!may('admin:webhooks')) return null;
  const close = setting(act, undefined);
  const offered = ['edit', webhook.enabled ? 'pause' : 'resume', 'rotate', 'delete'] as const;
  return div(
    { class: 'actions' },
    component(TestButton, { id: webhook.id }),
    menu({
      label: t('actions'),
      children: (closeMenu) =>
        offered.map((name) =>
          action({
            label: t(`webhooks.${name}`),
            icon: ICONS[name],
            kind: 'plain',
            onClick: () => {
              act.value = name;
              closeMenu();
            },
          }),
        ),
    }),
    act.value === 'edit' ? webhookEditor({ ...props, close }) : null,
    act.value === undefined || act.value === 'edit' ? null : question(act.value),
    made.value === undefined
      ? null
      : shownOnce(t('webhooks.rotated'), secretsOf(made.value), () => {
          made.value = undefined;
          reload();
        }),
  );

  function question(name: Act): VNode {
    return confirmed({
      title: t(`webhooks.${name}.title`),
      text: t(`webhooks.${name}.text` as MessageKey),
      name: webhook.url,
      label: t(`webhooks.${name}`),
      harmless: name !== 'delete',
      more: name === 'resume' ? freshCheck(isFresh) : null,
      close,
      act: async (reason) => {
        made.value = await done(name, props, isFresh.value, reason);
      },
    });
  }
}

const freshCheck = (isFresh: Signal<boolean>): VNode =>
  check({ label: t('webhooks.resume.now'), checked: isFresh.value, onChange: into(isFresh) });

/** Does an act, and offers the way back where there is one. Returns a secret that the server made. */
async function done(
  act: Act,
  { webhook: { id }, etag, reload }: ActionsProps,
  isFresh: boolean,
  reason: Reason,
): Promise<WebhookSecret | undefined> {
  switch (act) {
    case 'pause':
      await api.adminWebhookDisable({ id, ...reason });
      toast(t('webhooks.pause.done'), async () => {
        await api.adminWebhookEnable({ id });
        reload();
      });
      break;
    case 'resume':
      await api.adminWebhookEnable({ id, ...(isFresh ? { query: { from: 'now' } } : {}), ...reason });
      toast(t('webhooks.resume.done'), async () => {
        await api.adminWebhookDisable({ id });
        reload();
      });
      break;
    case 'rotate':
      return (await api.adminWebhookRotate({ id, ...reason })) as WebhookSecret;
    case 'delete':
      await api.adminWebhookDelete({ id, 'if-match': etag, ...reason });
      toast(t('webhooks.deleted'));
      go(['webhooks']);
      return undefined;
  }
  reload();
  return undefined;
}

/** Sends a delivery without events, and says what came of it. */
function TestButton({ id }: { readonly id: string }): VNode {
  const busy = useSignal(false);
  const outcome = useSignal<WebhookTest | undefined>(undefined);
  const send = async (): Promise<void> => {
    busy.value = true;
    try {
      outcome.value = (await api.adminWebhookTest({ id })) as WebhookTest;
    } catch (failure) {
      toast(wordsOf(failure));
    } finally {
      busy.value = false;
    }
  };
  const close = setting(outcome, undefined);
  return div(
    null,
    action({
      label: t('webhooks.test'),
      icon: 'live',
      disabled: busy.value,
      onClick: () => void send(),
    }),
    outcome.value === undefined
      ? null
      : dialog({
          title: t('webhooks.test'),
          close,
          children: outcome.value.accepted
            ? notice('good', t('webhooks.test.accepted'))
            : notice('bad', p(null, t('webhooks.test.failed')), p(null, outcome.value.problem)),
          foot: action({ label: t('close'), kind: 'primary', onClick: close }),
        }),
  );
}
