import { integer, text } from './setting.ts';

/** Settings for the backups that servers make of a SQLite database. */
export const BACKUP_SETTINGS = {
  'backup.directory': text({
    default: 'beside-database',
    pattern: /^[^\s\0]+(?: [^\s\0]+)*$/u,
    rule: 'must be beside-database or the path of a folder',
    description:
      'The folder of the backups that `POST /admin/v1/backups`, and `chancery backup create` without `--out`, make of a SQLite database. `beside-database` is a folder beside the database, with its name and `.backups`. Name a folder on another disk: a lost disk then loses only one of the two. Every process on the database needs the same folder. The server makes it if it is missing. PostgreSQL has tools of its own.',
  }),
  'backup.keep': integer({
    default: 7,
    min: 1,
    max: 200,
    unit: 'backups',
    description:
      'The number of backups that stay in `backup.directory`. The server deletes the oldest one when a further one is complete. Each takes about as much room as the database.',
  }),
};
