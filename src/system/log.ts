import pino from 'pino';
import type { Log } from '../ports/log.ts';

/** JSON lines on standard error. A log nobody reads any more must not end the process (EPIPE). */
export function jsonLog(level: 'silent' | 'error' | 'warn' | 'info' | 'debug'): Log {
  const destination = pino.destination({ dest: 2, sync: true });
  destination.on('error', () => undefined);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { cause: pino.stdSerializers.errWithCause },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
}
