import type { VNode } from 'preact';
import type { AdminInitialAccessToken } from '../../../client/client.ts';
import { t } from '../../state/messages.ts';
import { href } from '../../state/route.ts';
import type { Tone } from '../../view/controls.ts';
import { a, code, span } from '../../view/elements.ts';

export const TONES: Readonly<Record<AdminInitialAccessToken['state'], Tone>> = {
  live: 'good',
  used: 'accent',
  revoked: 'bad',
  expired: 'quiet',
};

/** Shows the client that was registered with a token. */
export function clientOf({ client }: Pick<AdminInitialAccessToken, 'client'>): VNode | null {
  if (client === null) return null;
  if (client.state === 'deleted')
    return span({ class: 'muted' }, `${client.client_id} · ${t('iat.client_deleted')}`);
  return a({ href: href(['clients', client.client_id]) }, code(null, client.client_id));
}
