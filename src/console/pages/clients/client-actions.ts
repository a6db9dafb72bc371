import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import type { AdminRegistrationToken } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { setting } from '../../state/into.ts';
import { t } from '../../state/messages.ts';
import { go } from '../../state/route.ts';
import { may } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { confirmed } from '../../view/confirm.ts';
import { action, menu } from '../../view/controls.ts';
import { component, div } from '../../view/elements.ts';
import { shownOnce } from '../../view/secret.ts';
import { restoreDeleted } from './deleted.ts';
import { nameOf, type Versioned } from './describe.ts';

interface ActionsProps extends Versioned {
  readonly reload: () => void;
}

export const clientActions = (props: ActionsProps): VNode => component(ClientActions, props);

/** The acts on a whole client. */
function ClientActions({ client, etag }: ActionsProps): VNode | null {
  const act = useSignal<'delete' | 'reissue' | undefined>(undefined);
  const token = useSignal<string | undefined>(undefined);
  if (!may('admin:clients:write')) return null;
  const { client_id } = client;
  const close = setting(act, undefined);
  return div(
    { class: 'actions' },
    menu({
      label: t('actions'),
      children: (closeMenu) => [
        action({
          label: t('client.reissue'),
          icon: 'token',
          kind: 'plain',
          onClick: () => {
            act.value = 'reissue';
            closeMenu();
          },
        }),
        action({
          label: t('client.delete'),
          icon: 'trash',
          kind: 'plain',
          onClick: () => {
            act.value = 'delete';
            closeMenu();
          },
        }),
      ],
    }),
    act.value === 'delete'
      ? confirmed({
          title: t('client.delete.title', nameOf(client)),
          text: t('client.delete.text'),
          name: client_id,
          label: t('client.delete'),
          close,
          act: async (reason) => {
            await api.adminClientDelete({ client_id, 'if-match': etag, ...reason });
            go(['clients']);
            toast(t('client.deleted'), async () => {
              await restoreDeleted(client_id);
              go(['clients', client_id]);
            });
          },
        })
      : null,
    act.value === 'reissue'
      ? confirmed({
          title: t('client.reissue'),
          text: t('client.reissue.text'),
          label: t('client.reissue'),
          close,
          act: async (reason) => {
            const answer = await api.adminClientReissueRegistrationToken({ client_id, ...reason });
            token.value = (answer as AdminRegistrationToken).registration_access_token;
          },
        })
      : null,
    token.value === undefined
      ? null
      : shownOnce(
          t('client.reissued'),
          [{ label: t('client.registration_token'), value: token.value }],
          setting(token, undefined),
        ),
  );
}
