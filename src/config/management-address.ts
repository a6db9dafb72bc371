import type { Settings } from './settings.ts';

/** Addresses that stand for every address of the machine, and one of them that a program of the machine reaches. */
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

type Address = Pick<Settings, 'management.listen-host' | 'management.listen-port'>;

/** Returns the origin of the management listener, as a program of the same machine reaches it. */
export function managementOrigin(settings: Address): string {
  const host = settings['management.listen-host'];
  const reached = EVERYWHERE[host] ?? host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${settings['management.listen-port']}`;
}

/** Returns the addresses below which the administration stands on the management listener: behind a proxy, that of the console. */
export function managementBases(settings: Address & Pick<Settings, 'console.url'>): readonly string[] {
  const url = settings['console.url'];
  return [managementOrigin(settings), ...(url === 'auto' ? [] : [url.replace(/\/(?:console\/)?$/u, '')])];
}

/** Returns the address at which browsers open the console; undefined where it is switched off. */
export function consoleUrl(
  settings: Address & Pick<Settings, 'console.enabled' | 'console.url'>,
): string | undefined {
  if (!settings['console.enabled']) return undefined;
  const url = settings['console.url'];
  return url === 'auto' ? `${managementOrigin(settings)}/console/` : url;
}
