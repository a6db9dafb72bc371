import { programVersion } from '../system/program-version.ts';
import { command } from './command.ts';

export const VERSION_COMMANDS = [
  command({
    words: ['version'],
    summary: 'Print the versions of chancery and its runtime',
    description: ['`chancery --version` and `chancery -v` print the same.'],
    servers: 'The command uses no data of a server.',
    environment: [],
    output: 'One line: `chancery VERSION (Node VERSION)`.',
    examples: ['chancery version'],
    run: async ({ print }) => {
      print(`chancery ${programVersion()} (Node ${process.versions.node})`);
      return await Promise.resolve(0);
    },
  }),
];
