import { COMMANDS, type Run } from './commands.ts';

export const run: Run = async (_parameters, { print }) => {
  print('chancery: an OAuth 2.0 / OpenID Connect authorisation server\n');
  for (const { words, parameters, summary } of COMMANDS) {
    print(`  chancery ${[...words, parameters].join(' ').trimEnd()}`);
    print(`      ${summary}.`);
  }
  print(
    '\nSettings come from --config FILE (or CHANCERY_CONFIG), overridden by environment variables such as',
  );
  print('CHANCERY_LISTEN_PORT. docs/reference/configuration.md describes them all.');
  return 0;
};
