import pino from 'pino';
import type { Log } from '../ports/log.ts';

/** What is kept of a log that is not read as fast as it is written; further lines are lost, and counted. */
const UNREAD_BYTES_MAX = 8 * 1024 * 1024;
/** As much as is written at once. */
const GATHERED_CHARACTERS_MAX = 16 * 1024;

/**
 * JSON lines on standard error, those of one turn of the event loop together, written beside the requests: a system call for
 * each line would be a third of a small request, and a full pipe would stop the server until somebody reads it. What is
 * left is written when the process ends.
 * `every` is in every line.
 * A log nobody reads any more must not end the process (EPIPE).
 */
export function jsonLog(
  level: 'silent' | 'error' | 'warn' | 'info' | 'debug',
  every: Readonly<Record<string, unknown>> | null = null,
): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: UNREAD_BYTES_MAX });
  destination.on('error', () => undefined);
  const log = pino(
    {
      level,
      base: every,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { cause: pino.stdSerializers.errWithCause },
      formatters: { level: (label) => ({ level: label }) },
    },
    gathering(destination),
  );
  reportLostLines(destination, log);
  return log;
}

type Destination = ReturnType<typeof pino.destination>;

/** Hands the lines of a turn on at its end, or when they are many. */
function gathering(destination: Destination): { write(line: string): void } {
  let gathered = '';
  const handOn = (): void => {
    const lines = gathered;
    gathered = '';
    if (lines !== '') destination.write(lines);
  };
  process.once('exit', () => {
    if (gathered === '') return;
    handOn();
    destination.flushSync();
  });
  return {
    write(line) {
      if (gathered === '') setImmediate(handOn);
      gathered += line;
      if (gathered.length >= GATHERED_CHARACTERS_MAX) handOn();
    },
  };
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
