import type { Command, ParsedCall } from '../command.ts';
import { calledWrongly } from '../failure.ts';
import { SERVER_OPTIONS, SERVER_VARIABLE } from './options.ts';

export type ServerCall = Pick<ParsedCall, 'options' | 'environment' | 'complain'>;

/** Returns the URL of the server that a command line or the environment names; undefined for a command on a database. */
export function serverOf({ options, environment }: ServerCall): string | undefined {
  const local = options['config'] !== undefined || options['mode'] !== undefined;
  const { server } = options;
  if (typeof server === 'string' && local)
    throw calledWrongly('--server and --config exclude each other: the server has its own settings');
  const named = typeof server === 'string' ? server : local ? undefined : environment[SERVER_VARIABLE];
  return named;
}

/** Refuses options that only a server can follow. Some commands on a database take a reason of their own. */
export function refuseStrayOptions(
  { options: declared }: Pick<Command, 'options'>,
  { options }: ServerCall,
): void {
  const stray = ['token-file', 'token', 'reason'].find(
    (name) =>
      options[name] !== undefined && declared[name] === SERVER_OPTIONS[name as keyof typeof SERVER_OPTIONS],
  );
  if (stray !== undefined) throw calledWrongly(`--${stray} needs --server`);
}
