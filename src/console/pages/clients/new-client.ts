import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminNewClient } from '../../../client/client.ts';
import { api, memberFaults, wordsOf } from '../../state/api.ts';
import { into } from '../../state/into.ts';
import type { Members } from '../../state/merge-patch.ts';
import { t } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { action, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { component, fieldset, input, label, legend, li, span, strong, ul } from '../../view/elements.ts';
import { areaField, textField } from '../../view/fields.ts';
import { type OnceShown, shownOnce } from '../../view/secret.ts';

/** The kinds of application, with the metadata that suits each (RFC 9700). */
const KINDS = {
  web: {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic',
  },
  spa: { grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' },
  native: {
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  service: { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_basic' },
} as const satisfies Readonly<Record<string, Members>>;

type Kind = keyof typeof KINDS;

interface NewClientProps {
  readonly close: () => void;
}

export const registering = (props: NewClientProps): VNode => component(NewClient, props);

/** Registers a client, and shows its credentials once. */
function NewClient({ close }: NewClientProps): VNode {
  const kind = useSignal<Kind>('web');
  const name = useSignal('');
  const addresses = useSignal('');
  const scope = useSignal('');
  const problem = useSignal<unknown>(undefined);
  const busy = useSignal(false);
  const made = useSignal<AdminNewClient | undefined>(undefined);
  if (made.value !== undefined) {
    const { client_id } = made.value;
    return shownOnce(t('new.made'), credentials(made.value), () => {
      close();
      go(['clients', client_id]);
    });
  }
  const register = async (): Promise<void> => {
    busy.value = true;
    problem.value = undefined;
    try {
      const metadata = metadataOf(kind.value, name.value, addresses.value, scope.value);
      made.value = (await api.adminClientCreate({ body: { metadata } })) as AdminNewClient;
    } catch (failure) {
      problem.value = failure;
    } finally {
      busy.value = false;
    }
  };
  return dialog({
    title: t('clients.new'),
    close,
    wide: true,
    onSubmit: () => void register(),
    children: [
      kinds(kind.value, into(kind)),
      textField({
        label: t('form.client_name'),
        value: name.value,
        autofocus: true,
        onInput: into(name),
      }),
      kind.value === 'service'
        ? null
        : areaField({
            label: t('client.redirect_uris'),
            hint: t('form.lines.hint'),
            rows: 3,
            code: true,
            value: addresses.value,
            onInput: into(addresses),
          }),
      textField({
        label: t('clients.scope'),
        hint: t('form.scope.hint'),
        value: scope.value,
        onInput: into(scope),
      }),
      problem.value === undefined ? null : faults(problem.value),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label: t('new.register'), kind: 'primary', submit: true, disabled: busy.value }),
    ],
  });
}

function kinds(chosen: Kind, choose: (kind: Kind) => void): VNode {
  return fieldset(
    { class: 'field' },
    legend(null, t('new.kind')),
    (Object.keys(KINDS) as Kind[]).map((kind) =>
      label(
        { key: kind, class: 'check' },
        input({ type: 'radio', name: 'kind', checked: kind === chosen, onChange: () => choose(kind) }),
        span(
          null,
          strong(null, t(`new.kind.${kind}`)),
          span({ class: 'muted small' }, ` ${t(`new.kind.${kind}.text`)}`),
        ),
      ),
    ),
  );
}

function metadataOf(kind: Kind, client_name: string, addresses: string, scope: string): Members {
  const redirect_uris = addresses
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    ...KINDS[kind],
    ...(client_name === '' ? {} : { client_name }),
    ...(kind === 'service' ? {} : { redirect_uris }),
    ...(scope === '' ? {} : { scope }),
  };
}

function faults(failure: unknown): VNode {
  const members = [...memberFaults(failure)];
  return notice(
    'bad',
    wordsOf(failure),
    members.length === 0
      ? null
      : ul(
          { class: 'plain-list' },
          members.map(([at, words]) => li({ key: at }, `${at.replace(/^\/metadata\//u, '')}: ${words}`)),
        ),
  );
}

function credentials({
  client_id,
  client_secret,
  registration_access_token,
}: AdminNewClient): readonly OnceShown[] {
  return [
    { label: t('client.id'), value: client_id },
    ...(client_secret === undefined ? [] : [{ label: t('secrets.secret'), value: client_secret }]),
    ...(registration_access_token === undefined
      ? []
      : [{ label: t('client.registration_token'), value: registration_access_token }]),
  ];
}
