import { closed, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const NUMBER: Schema = { type: 'integer', minimum: 0 };
const NUMBER_OR_NULL: Schema = { type: ['integer', 'null'], minimum: 0 };
const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };

/** Backups in the administration API. */
export const ADMIN_BACKUP_SCHEMAS = {
  AdminBackup: said(
    'A backup of the database, without `encryption.key`. Members about its content are null until it is complete.',
    closed({
      id: TEXT,
      state: { enum: ['creating', 'complete', 'failed'] },
      failure: said(
        'Why it failed. `disk-full`: the disk of `backup.directory`. `interrupted`: the server ended. `source-unusable`: the database could not be read or is damaged; the log has the reason. Null unless it failed.',
        { enum: ['disk-full', 'interrupted', 'source-unusable', null] },
      ),
      requested_at: TIME,
      taken_at: said('It contains no write that was acknowledged later.', TIME_OR_NEVER),
      bytes: NUMBER_OR_NULL,
      sha256: said('The digest of the file, hexadecimal.', TEXT_OR_NULL),
      program: said('The version of the program that made it.', TEXT_OR_NULL),
      schema: said('The version of its schema.', NUMBER_OR_NULL),
      encryption_key: said(
        'Names the encryption key that opens its secrets: the first eight digits of its SHA-256.',
        TEXT_OR_NULL,
      ),
      rows: NUMBER_OR_NULL,
      tables: said('The digest of each table when the backup was made.', {
        type: ['array', 'null'],
        items: closed({ table: TEXT, rows: NUMBER, sha256: TEXT }),
      }),
      verification: said('The last verification; null if there was none.', {
        anyOf: [
          closed({
            state: said(
              '`running`, `passed`, or what was found. `tables-changed`: `tables` differ. `file-changed`: the tables are the same, other octets are not. `damaged`: the file cannot be read.',
              { enum: ['running', 'passed', 'tables-changed', 'file-changed', 'damaged'] },
            ),
            at: said('When it ended, or began while it runs.', TIME),
            tables: said('The tables that differ.', { type: 'array', items: TEXT }),
          }),
          { type: 'null' },
        ],
      }),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
