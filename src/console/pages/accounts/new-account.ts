import { type Signal, useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminMadeAccount } from '../../../client/client.ts';
import { api, wordsOf } from '../../state/api.ts';
import { auditReason } from '../../state/audit-reason.ts';
import { into } from '../../state/into.ts';
import { t, tWord } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { reasonField } from '../../view/confirm.ts';
import { action, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { component, div } from '../../view/elements.ts';
import { selectField, textField } from '../../view/fields.ts';
import { shownOnce } from '../../view/secret.ts';
import { ROLES } from './describe.ts';

interface NewAccountProps {
  readonly close: () => void;
}

interface Draft {
  readonly username: Signal<string>;
  readonly name: Signal<string>;
  readonly email: Signal<string>;
  readonly role: Signal<string>;
  readonly why: Signal<string>;
}

export const newAccount = (props: NewAccountProps): VNode => component(NewAccount, props);

/** Makes an account. The server makes its first password, which is shown once. */
function NewAccount({ close }: NewAccountProps): VNode {
  const draft: Draft = {
    username: useSignal(''),
    name: useSignal(''),
    email: useSignal(''),
    role: useSignal(''),
    why: useSignal(''),
  };
  const problem = useSignal<string | undefined>(undefined);
  const made = useSignal<AdminMadeAccount | undefined>(undefined);
  if (made.value !== undefined) {
    const { account, password = '' } = made.value;
    return shownOnce(
      t('accounts.made', account.username),
      [{ label: t('account.password'), value: password }],
      () => {
        close();
        go(['accounts', account.sub]);
      },
    );
  }
  const make = async (): Promise<void> => {
    problem.value = undefined;
    try {
      made.value = (await api.adminAccountCreate({
        body: bodyOf(draft),
        ...auditReason(draft.why.value),
      })) as AdminMadeAccount;
    } catch (failure) {
      problem.value = wordsOf(failure);
    }
  };
  return dialog({
    title: t('accounts.new'),
    close,
    onSubmit: () => void make(),
    children: [...fields(draft), problem.value === undefined ? null : notice('bad', problem.value)],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label: t('accounts.make'), kind: 'primary', submit: true }),
    ],
  });
}

const fields = ({ username, name, email, role, why }: Draft): (VNode | null)[] => [
  textField({
    label: t('accounts.username'),
    value: username.value,
    autofocus: true,
    required: true,
    onInput: into(username),
  }),
  div(
    { class: 'fields' },
    textField({ label: t('form.client_name'), value: name.value, onInput: into(name) }),
    textField({ label: t('accounts.email'), type: 'email', value: email.value, onInput: into(email) }),
  ),
  may('admin:tenants')
    ? selectField({
        label: t('accounts.role'),
        value: role.value,
        choices: [
          { value: '', label: t('none') },
          ...ROLES.map((value) => ({ value, label: tWord('role', value) })),
        ],
        onInput: into(role),
      })
    : null,
  reasonField(why.value, into(why)),
];

function bodyOf({ username, name, email, role }: Draft) {
  const admin_role = ROLES.find((one) => one === role.value);
  return {
    username: username.value,
    claims: {
      ...(name.value === '' ? {} : { name: name.value }),
      ...(email.value === '' ? {} : { email: email.value }),
    },
    ...(admin_role === undefined ? {} : { admin_role }),
  };
}
