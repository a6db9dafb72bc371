import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../program/free-port.ts';
import { masterToken as randomMasterToken } from '../program/master-token.ts';
import { ENCRYPTION_KEY } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';

/** Everything that a production server needs, in a folder of its own. */
export interface Production {
  readonly folder: string;
  /** Of SQLite: the file. */
  readonly database: string;
  readonly masterToken: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where its listener will be. */
  readonly url: string;
  remove(): void;
}

export async function production(): Promise<Production> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-starting-'));
  const database = join(folder, 'chancery.db');
  const masterToken = randomMasterToken();
  const port = await freePort();
  return {
    folder,
    database,
    masterToken,
    environment: {
      CHANCERY_ISSUER: 'https://op.example.com',
      CHANCERY_LISTEN_PORT: String(port),
      CHANCERY_MANAGEMENT_LISTEN_PORT: String(await freePort()),
      CHANCERY_STORAGE_URL: await storageUrl(folder),
      CHANCERY_STORAGE_CREATE: 'true',
      CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: hash('sha256', masterToken, 'hex'),
    },
    url: `http://127.0.0.1:${port}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
