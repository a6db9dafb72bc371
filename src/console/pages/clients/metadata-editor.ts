import type { VNode } from 'preact';
import type { AdminClient, AdminPreview } from '../../../client/client.ts';
import { api } from '../../state/api.ts';
import { patchBetween } from '../../state/merge-patch.ts';
import { t } from '../../state/messages.ts';
import { may } from '../../state/session.ts';
import { type EditedRecord, type RecordVersion, recordEditor } from '../../view/record-editor.ts';
import { clientNow, type Versioned } from './describe.ts';
import { metadataForm } from './metadata-form.ts';

interface EditorProps extends Versioned {
  /** A form, or JSON. */
  readonly form: boolean;
  readonly reload: () => void;
}

/** Edits the metadata of a client. */
export const metadataEditor = ({ form, reload, ...found }: EditorProps): VNode =>
  recordEditor({
    ...versionOf(found),
    record: recordOf(found.client.client_id),
    mayEdit: may('admin:clients:write'),
    label: t('client.json'),
    ...(form ? { form: ({ members, ...props }) => metadataForm({ metadata: members, ...props }) } : {}),
    words: { title: t('client.save.title'), text: t('client.save.text'), saved: t('client.saved') },
    reload,
  });

const versionOf = ({ client, etag }: Versioned): RecordVersion => ({ members: client.metadata, etag });

const recordOf = (client_id: string): EditedRecord => ({
  patchBetween,
  pointer: '/metadata',
  preview: async ({ etag }, metadata) =>
    (await api.adminClientPatch({
      client_id,
      'if-match': etag,
      query: { dry_run: true },
      body: { metadata },
    })) as AdminPreview,
  store: async ({ etag }, metadata, reason) => {
    const { body, headers } = await api.call('adminClientPatch', {
      client_id,
      'if-match': etag,
      body: { metadata },
      ...reason,
    });
    return { members: (body as AdminClient).metadata, etag: headers.get('etag') ?? '*' };
  },
  now: async () => versionOf(await clientNow(client_id)),
});
