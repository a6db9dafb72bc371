import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminNewInitialAccessToken } from '../../../client/client.ts';
import { api, wordsOf } from '../../state/api.ts';
import { auditReason } from '../../state/audit-reason.ts';
import { configuration } from '../../state/configuration.ts';
import { into } from '../../state/into.ts';
import { t } from '../../state/messages.ts';
import { reasonField } from '../../view/confirm.ts';
import { action, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { component, div } from '../../view/elements.ts';
import { areaField, selectField, textField } from '../../view/fields.ts';
import { shownOnce } from '../../view/secret.ts';

interface NewTokenProps {
  readonly close: () => void;
}

/** Lifetimes in seconds; the empty one stands for that of the settings. */
const LIFETIMES = ['', '3600', '86400', '604800', '2592000'] as const;

export const newToken = (props: NewTokenProps): VNode => component(NewToken, props);

/** Makes an initial access token, and shows it once with a command that registers a client. */
function NewToken({ close }: NewTokenProps): VNode {
  const label = useSignal('');
  const scope = useSignal('');
  const hosts = useSignal('');
  const lifetime = useSignal<string>('');
  const why = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const made = useSignal<string | undefined>(undefined);
  if (made.value !== undefined)
    return shownOnce(
      t('iat.made'),
      [
        { label: t('iat.token'), value: made.value },
        { label: t('iat.command'), value: commandFor(made.value) },
      ],
      close,
    );
  const make = async (): Promise<void> => {
    problem.value = undefined;
    const redirect_hosts = wordsIn(hosts.value);
    const wanted = wordsIn(scope.value);
    try {
      const answer = await api.adminInitialAccessTokenCreate({
        body: {
          ...(label.value === '' ? {} : { label: label.value }),
          ...(wanted.length === 0 ? {} : { scope: wanted }),
          ...(redirect_hosts.length === 0 ? {} : { redirect_hosts }),
          ...(lifetime.value === '' ? {} : { lifetime: Number(lifetime.value) }),
        },
        ...auditReason(why.value),
      });
      made.value = (answer as AdminNewInitialAccessToken).access_token;
    } catch (failure) {
      problem.value = wordsOf(failure);
    }
  };
  return dialog({
    title: t('iat.new'),
    close,
    onSubmit: () => void make(),
    children: [
      fields({ label, scope, hosts, lifetime, why }),
      problem.value === undefined ? null : notice('bad', problem.value),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label: t('iat.make'), kind: 'primary', submit: true }),
    ],
  });
}

interface Draft {
  readonly label: Signal<string>;
  readonly scope: Signal<string>;
  readonly hosts: Signal<string>;
  readonly lifetime: Signal<string>;
  readonly why: Signal<string>;
}

const fields = ({ label, scope, hosts, lifetime, why }: Draft): VNode[] => [
  textField({
    label: t('iat.label'),
    hint: t('iat.label.hint'),
    value: label.value,
    autofocus: true,
    onInput: into(label),
  }),
  div(
    { class: 'fields' },
    selectField({
      label: t('iat.lifetime'),
      value: lifetime.value,
      choices: LIFETIMES.map((value) => ({ value, label: t(`iat.lifetime.${value}`) })),
      onInput: into(lifetime),
    }),
    textField({
      label: t('iat.scope'),
      hint: t('iat.scope.hint'),
      value: scope.value,
      placeholder: 'client-reg',
      onInput: into(scope),
    }),
  ),
  areaField({
    label: t('iat.hosts'),
    hint: t('iat.hosts.hint'),
    rows: 2,
    code: true,
    value: hosts.value,
    onInput: into(hosts),
  }),
  reasonField(why.value, into(why)),
];

const wordsIn = (text: string): string[] => text.split(/[\s,]+/u).filter((word) => word !== '');

function commandFor(token: string): string {
  const metadata = JSON.stringify({
    client_name: 'Demo',
    redirect_uris: ['https://app.example.com/callback'],
  });
  return `curl -s -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${metadata}' ${configuration.issuer}/clients`;
}
