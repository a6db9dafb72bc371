import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { NewWebhook, Webhook, WebhookRequest } from '../../../client/client.ts';
import { api, memberFaults, wordsOf } from '../../state/api.ts';
import { auditReason } from '../../state/audit-reason.ts';
import { into } from '../../state/into.ts';
import { t } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { type Reason, reasonField } from '../../view/confirm.ts';
import { action, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { component } from '../../view/elements.ts';
import { areaField, textField } from '../../view/fields.ts';
import { shownOnce } from '../../view/secret.ts';
import { secretsOf } from './describe.ts';

interface Draft {
  readonly url: Signal<string>;
  readonly description: Signal<string>;
  readonly actions: Signal<string>;
  readonly events_max: Signal<string>;
  readonly why: Signal<string>;
}

/** The default maximum of events in a delivery. */
const EVENTS_MAX = 20;

function useDraft(webhook?: Webhook): Draft {
  return {
    url: useSignal(webhook?.url ?? ''),
    description: useSignal(webhook?.description ?? ''),
    actions: useSignal((webhook?.actions ?? []).join('\n')),
    events_max: useSignal(String(webhook?.events_max ?? EVENTS_MAX)),
    why: useSignal(''),
  };
}

const bodyOf = ({ url, description, actions, events_max }: Draft) => ({
  url: url.value.trim(),
  description: description.value,
  actions: actions.value.split(/[\s,]+/u).filter((name) => name !== ''),
  events_max: Number(events_max.value),
});

interface NewWebhookProps {
  readonly close: () => void;
}

export const newWebhook = (props: NewWebhookProps): VNode => component(NewWebhookForm, props);

/** Makes a webhook, and shows its secret once. */
function NewWebhookForm({ close }: NewWebhookProps): VNode {
  const made = useSignal<NewWebhook | undefined>(undefined);
  const draft = useDraft();
  if (made.value !== undefined) {
    const { id } = made.value;
    return shownOnce(t('webhooks.made'), secretsOf(made.value), () => {
      close();
      go(['webhooks', id]);
    });
  }
  return component(WebhookForm, {
    draft,
    title: t('webhooks.new'),
    label: t('webhooks.make'),
    close,
    send: async (body, reason) => {
      made.value = (await api.adminWebhookCreate({ body, ...reason })) as NewWebhook;
    },
  });
}

interface EditProps {
  readonly webhook: Webhook;
  readonly etag: string;
  readonly close: () => void;
  readonly reload: () => void;
}

export const webhookEditor = (props: EditProps): VNode => component(WebhookEditor, props);

/** Changes a webhook, and offers the way back. */
function WebhookEditor({ webhook, etag, close, reload }: EditProps): VNode {
  const draft = useDraft(webhook);
  const { id, url, description, actions, events_max } = webhook;
  return component(WebhookForm, {
    draft,
    title: t('webhooks.edit'),
    label: t('save'),
    hint: webhook.has_query ? t('webhooks.has_query') : undefined,
    close,
    send: async ({ url: wanted, ...body }, reason) => {
      // The query of an address is sealed. An address that stays is not sent, so that its query stays too.
      const isMoved = wanted !== url;
      await api.adminWebhookChange({
        id,
        'if-match': etag,
        body: { ...body, ...(isMoved ? { url: wanted } : {}) },
        ...reason,
      });
      const undo = async (): Promise<void> => {
        const body = { description, actions, events_max, ...(isMoved ? { url } : {}) };
        await api.adminWebhookChange({ id, 'if-match': '*', body });
        reload();
      };
      toast(t('webhooks.saved'), isMoved && webhook.has_query ? undefined : undo);
      reload();
      close();
    },
  });
}

interface FormProps {
  readonly draft: Draft;
  readonly title: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly close: () => void;
  readonly send: (body: WebhookRequest, reason: Reason) => Promise<void>;
}

/** The members of a webhook. The server says what is wrong with each. */
function WebhookForm({ draft, title, label, hint, close, send }: FormProps): VNode {
  const failure = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const faults = memberFaults(failure.value);
  const submit = async (): Promise<void> => {
    busy.value = true;
    failure.value = undefined;
    try {
      await send(bodyOf(draft), auditReason(draft.why.value));
    } catch (refused) {
      failure.value = refused;
    } finally {
      busy.value = false;
    }
  };
  const { url, description, actions, events_max, why } = draft;
  return dialog({
    title,
    close,
    onSubmit: () => void submit(),
    children: [
      textField({
        label: t('webhooks.url'),
        hint: hint ?? t('webhooks.url.hint'),
        type: 'url',
        required: true,
        autofocus: true,
        placeholder: 'https://receiver.example.com/events',
        value: url.value,
        wrong: faults.get('/url'),
        onInput: into(url),
      }),
      textField({
        label: t('webhooks.description'),
        value: description.value,
        wrong: faults.get('/description'),
        onInput: into(description),
      }),
      areaField({
        label: t('webhooks.actions'),
        hint: t('webhooks.actions.hint'),
        rows: 3,
        code: true,
        value: actions.value,
        wrong: [...faults].find(([pointer]) => pointer.startsWith('/actions'))?.[1],
        onInput: into(actions),
      }),
      textField({
        label: t('webhooks.events_max'),
        type: 'number',
        value: events_max.value,
        wrong: faults.get('/events_max'),
        onInput: into(events_max),
      }),
      reasonField(why.value, into(why)),
      failure.value === undefined || faults.size > 0 ? null : notice('bad', wordsOf(failure.value)),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label, kind: 'primary', submit: true, disabled: busy.value }),
    ],
  });
}
