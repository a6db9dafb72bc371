import type { Command } from '../commands.ts';
import { OPTIONS } from '../registry-commands.ts';

/** The commands of the keys that sign, decrypt and are published. They work beside the servers that use the keys. */
export const KEY_COMMANDS: readonly Command[] = [
  {
    words: ['keys', 'list'],
    parameters: OPTIONS,
    summary: 'List the server keys with their states and times',
    load: () => import('./list.ts'),
  },
  {
    words: ['keys', 'rotate'],
    parameters: `[--use sig|enc|federation] [--kind RSA|P-256|…] [--now] ${OPTIONS}`,
    summary: 'Give the keys successors, which sign when everybody knows them; with --now at once',
    load: () => import('./rotate.ts'),
  },
  {
    words: ['keys', 'revoke'],
    parameters: `KID --compromised ${OPTIONS}`,
    summary: 'End a compromised key and all that it signed; a new one takes over at once',
    load: () => import('./revoke.ts'),
  },
  {
    words: ['keys', 'import'],
    parameters: `FILE|- [--now] ${OPTIONS}`,
    summary: 'Bring the keys of a JWK set; private ones take over, public ones are published',
    load: () => import('./import.ts'),
  },
  {
    words: ['keys', 'history'],
    parameters: OPTIONS,
    summary: 'List the keys that are published no more, when they ended and why',
    load: () => import('./history.ts'),
  },
];
