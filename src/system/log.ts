import pino from 'pino';
import type { Log } from '../ports/log.ts';
import type { Tracing } from '../ports/tracing.ts';
import { shortenedAddress } from '../spec/ip-address.ts';
import { pipeWriter } from './pipe-writer.ts';
import { textLine } from './text-log.ts';

/** The buffer for a log that is read too slowly. Lines beyond it are dropped and counted. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** The most that is gathered, so that a pipe takes it whole. A longer line is written alone. */
const GATHERED_CHARACTERS_MAX = 4096;
const STANDARD_ERROR = 2;

/**
 * Returns a log of JSON lines on standard error. The lines of one turn of the event loop are written together, because a system
 * call for each would be a third of a small request. A pipe with room gets them at once (ADR 113). Otherwise they are written
 * asynchronously: a full pipe must not block the server. The rest is written when the process ends. If the reader closes the
 * pipe (EPIPE), the process goes on.
 * @param every members of every line
 */
export function jsonLog(
  level: 'silent' | 'error' | 'warn' | 'info' | 'debug',
  every: Readonly<Record<string, unknown>> | null = null,
  rendered: (line: string) => string = (line) => line,
): Log {
  const destination = pino.destination({
    dest: STANDARD_ERROR,
    sync: false,
    maxLength: UNREAD_BYTES_MAX,
  });
  destination.on('error', () => undefined);
  const log = pino(
    {
      level,
      base: every,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { cause: pino.stdSerializers.errWithCause },
      formatters: { level: (label) => ({ level: label }) },
    },
    gathering(destination, rendered),
  );
  reportLostLines(destination, log);
  return log;
}

export interface LogSettings {
  readonly 'log.level': 'silent' | 'error' | 'warn' | 'info' | 'debug';
  readonly 'log.format': 'auto' | 'json' | 'text';
}

/** Returns the log of a server, in the format of the settings. `auto` is text on a terminal, and JSON elsewhere. */
export function serverLog(
  settings: LogSettings,
  every: Readonly<Record<string, unknown>> | null = null,
): Log {
  const level = settings['log.level'];
  const format = settings['log.format'];
  const { isTTY } = process.stderr;
  if (format === 'json' || (format === 'auto' && !isTTY)) return jsonLog(level, every);
  // https://no-color.org: "when present and not an empty string (regardless of its value)".
  const colours = isTTY && (process.env['NO_COLOR'] ?? '') === '';
  return jsonLog(level, every, (line) => textLine(line, colours));
}

/** Returns a log that shortens network addresses, whichever line they stand in; the log itself if addresses are kept whole. */
export function shorteningLog(
  log: Log,
  settings: Readonly<Record<'log.address-bits-ipv4' | 'log.address-bits-ipv6', number>>,
): Log {
  const bits = { ipv4: settings['log.address-bits-ipv4'], ipv6: settings['log.address-bits-ipv6'] };
  if (bits.ipv4 === 32 && bits.ipv6 === 128) return log;
  const shortened = (members: Members): Members => {
    const found = ADDRESS_MEMBERS.filter((name) => typeof members[name] === 'string');
    const short = found.map((name) => [name, shortenedAddress(wholeAddress(String(members[name])), bits)]);
    return found.length === 0 ? members : { ...members, ...Object.fromEntries(short) };
  };
  return changingLog(log, shortened);
}

/** Returns a log that names the present trace in every line (`trace_id`). Lines outside a trace stay as they are. */
export function tracedLog(log: Log, { traceId }: Pick<Tracing, 'traceId'>): Log {
  return changingLog(log, (members) => {
    const trace_id = traceId();
    return trace_id === undefined ? members : { ...members, trace_id };
  });
}

type Members = Readonly<Record<string, unknown>>;

const changingLog = (log: Log, changed: (members: Members) => Members): Log => ({
  info: (members, message) => log.info(changed(members), message),
  warn: (members, message) => log.warn(changed(members), message),
  error: (members, message) => log.error(changed(members), message),
});

/** A network of IPv6 is written as its first four groups (`networkOf`). */
const wholeAddress = (text: string): string =>
  text.split(':').length === 4 && !text.includes('::') ? `${text}::` : text;

/** The members of lines that name an address of a caller. */
const ADDRESS_MEMBERS = ['address', 'network'] as const;

type Destination = ReturnType<typeof pino.destination>;

/** Writes the lines of a turn at its end, or earlier when they reach the limit. */
function gathering(
  destination: Destination,
  rendered: (line: string) => string,
): { write(line: string): void } {
  const writeAtOnce = pipeWriter(STANDARD_ERROR);
  let gathered = '';
  /** While the destination has lines, later ones go behind them. */
  let behind = false;
  destination.on('drain', () => {
    behind = false;
  });
  const handOn = (): void => {
    const lines = legible(gathered);
    gathered = '';
    if (lines === '') return;
    behind ||= writeAtOnce?.(lines) !== true;
    if (behind) destination.write(lines);
  };
  process.once('exit', () => {
    if (gathered === '') return;
    handOn();
    destination.flushSync();
  });
  return {
    write(line) {
      const next = rendered(line);
      if (gathered.length + next.length > GATHERED_CHARACTERS_MAX) handOn();
      if (gathered === '') setImmediate(handOn);
      gathered += next;
    },
  };
}

/** C1 control characters, and format characters that turn the direction of a text, which JSON lets through. */
const STEERING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Escapes, as JSON does, what would steer the terminal of a reader. Costs one search for each turn. */
function legible(lines: string): string {
  return lines.replaceAll(
    STEERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function reportLostLines(destination: Destination, log: Log): void {
  let lost = 0;
  destination.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1;
  });
  destination.on('drain', () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log.warn({ lines }, 'log lines were lost: the log was not read as fast as it was written');
  });
}
