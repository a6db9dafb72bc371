import type { Log } from '../ports/log.ts';

export const SILENT: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
