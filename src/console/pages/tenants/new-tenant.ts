import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { memberFaults, serverApi, wordsOf } from '../../state/api.ts';
import { auditReason } from '../../state/audit-reason.ts';
import { into } from '../../state/into.ts';
import { t } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { toast } from '../../state/toasts.ts';
import { reasonField } from '../../view/confirm.ts';
import { action, notice } from '../../view/controls.ts';
import { dialog } from '../../view/dialog.ts';
import { component } from '../../view/elements.ts';
import { areaField, textField } from '../../view/fields.ts';

interface NewTenantProps {
  readonly close: () => void;
}

export const newTenant = (props: NewTenantProps): VNode => component(NewTenant, props);

/** Makes a tenant. Its settings are on its page afterwards. */
function NewTenant({ close }: NewTenantProps): VNode {
  const id = useSignal('');
  const issuer = useSignal('');
  const aliases = useSignal('');
  const why = useSignal('');
  const busy = useSignal(false);
  const problem = useSignal<unknown>(undefined);
  const faults = memberFaults(problem.value);
  const make = async (): Promise<void> => {
    busy.value = true;
    problem.value = undefined;
    try {
      const lines = aliases.value.split('\n').map((line) => line.trim());
      const body = { id: id.value, issuer: issuer.value, aliases: lines.filter((line) => line !== '') };
      await serverApi.adminTenantCreate({ body, ...auditReason(why.value) });
      close();
      go(['tenants', id.value]);
      toast(t('tenants.made', id.value));
    } catch (failure) {
      problem.value = failure;
    } finally {
      busy.value = false;
    }
  };
  return dialog({
    title: t('tenants.new'),
    close,
    onSubmit: () => void make(),
    children: [
      textField({
        label: t('tenants.id'),
        hint: t('tenants.id.hint'),
        wrong: faults.get('/id'),
        value: id.value,
        autofocus: true,
        required: true,
        onInput: into(id),
      }),
      textField({
        label: t('tenants.issuer'),
        hint: t('tenants.issuer.hint'),
        wrong: faults.get('/issuer'),
        type: 'url',
        value: issuer.value,
        required: true,
        onInput: into(issuer),
      }),
      areaField({
        label: t('tenants.aliases'),
        hint: t('tenants.aliases.hint'),
        wrong: faults.get('/aliases'),
        rows: 2,
        code: true,
        value: aliases.value,
        onInput: into(aliases),
      }),
      reasonField(why.value, into(why)),
      problem.value === undefined ? null : notice('bad', wordsOf(problem.value)),
    ],
    foot: [
      action({ label: t('cancel'), onClick: close }),
      action({ label: t('tenants.make'), kind: 'primary', submit: true, disabled: busy.value }),
    ],
  });
}
