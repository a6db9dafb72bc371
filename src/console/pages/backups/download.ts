import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';
import { type AdminBackup } from '../../../client/client.ts';
import { requestedOfServer } from '../../state/api.ts';
import { t } from '../../state/messages.ts';
import { saveFile } from '../../state/save-file.ts';
import { action, notice } from '../../view/controls.ts';
import { p } from '../../view/elements.ts';
import { bytesText } from './describe.ts';

/** The download of one backup, as the page shows it. */
export interface Download {
  readonly isBusy: boolean;
  readonly begin: (backup: AdminBackup) => void;
  readonly view: () => VNode | null;
}

interface State {
  readonly total: number;
  readonly received: number;
  readonly stop: () => void;
}

/** A link cannot send an access token, so the console reads the file itself, and gives it to the browser when it is whole. */
export function useDownload(): Download {
  const now = useSignal<State | undefined>(undefined);
  const hasFailed = useSignal(false);
  const run = async ({ id, bytes }: AdminBackup): Promise<void> => {
    const abort = new AbortController();
    const total = bytes ?? 0;
    let received = 0;
    const tell = (): void => {
      now.value = { total, received, stop: () => abort.abort() };
    };
    tell();
    hasFailed.value = false;
    try {
      const { body, ok } = await requestedOfServer(`/admin/v1/backups/${encodeURIComponent(id)}/file`, {
        signal: abort.signal,
      });
      if (!ok || body === null) throw new Error('no file');
      const counting = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          received += chunk.byteLength;
          tell();
          controller.enqueue(chunk);
        },
      });
      const file = await new Response(body.pipeThrough(counting)).blob();
      saveFile(file, `chancery-${id}.db`);
    } catch {
      hasFailed.value = !abort.signal.aborted;
    } finally {
      now.value = undefined;
    }
  };
  return {
    isBusy: now.value !== undefined,
    begin: (backup) => void run(backup),
    view: () => {
      if (hasFailed.value) return notice('bad', t('backups.download.failed'));
      if (now.value === undefined) return null;
      const { received, total, stop } = now.value;
      return notice(
        'info',
        p(null, t('backups.downloading', bytesText(received), bytesText(total))),
        action({ label: t('cancel'), size: 'tiny', onClick: stop }),
      );
    },
  };
}
