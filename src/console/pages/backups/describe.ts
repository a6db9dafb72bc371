import type { VNode } from 'preact';
import type { AdminBackup } from '../../../client/client.ts';
import { language, t, tWord } from '../../state/messages.ts';
import { badge, badges, type Tone } from '../../view/controls.ts';
import { span } from '../../view/elements.ts';
import { when } from '../../view/time.ts';

/** Says whether the server makes or verifies a backup now. */
export const isUnderWay = ({ state, verification }: AdminBackup): boolean =>
  state === 'creating' || verification?.state === 'running';

const TONES: Readonly<Record<AdminBackup['state'], Tone>> = {
  creating: 'accent',
  complete: 'good',
  failed: 'bad',
};

export const stateBadge = ({ state, failure }: AdminBackup): VNode =>
  badges(
    badge(tWord('backups.state', state), TONES[state]),
    failure === null ? null : span({ class: 'muted small' }, tWord('backups.failure', failure)),
  );

/** Shows the outcome of the last verification. */
export function verificationBadge({ state, verification }: AdminBackup): VNode | null {
  if (state !== 'complete') return null;
  if (verification === null) return span({ class: 'muted' }, t('never'));
  const tone = { running: 'accent', passed: 'good' } as const;
  const found = verification.state;
  return badges(
    badge(
      tWord('backups.verification', found),
      found === 'running' || found === 'passed' ? tone[found] : 'bad',
    ),
    found === 'running' ? null : when(verification.at),
  );
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Returns a size as people say it: "1.4 MB". */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1000 ** power);
}
