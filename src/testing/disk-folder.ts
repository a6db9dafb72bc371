import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/**
 * Where tests make a folder that must be on a disk: `npm test`, and many machines, have the usual one in memory. There the
 * program accepts a secret file of root that all can read.
 */
export const DISK_FOLDER = existsSync('/var/tmp') ? '/var/tmp' : tmpdir();
