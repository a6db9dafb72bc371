import { integer, text } from './setting.ts';

const SQLITE = String.raw`sqlite:(?!:memory:)[^\s?#][^?#]*`;
const POSTGRES = String.raw`postgres(?:ql)?:\/\/[^\s@\/?#]+@[^\s@\/?#]*\/[^\s\/?#]+(?:\?[^\s#]*)?`;

/** Where the data is kept, and how a database beyond this machine is reached. */
export const STORAGE_SETTINGS = {
  'storage.url': text({
    default: 'sqlite:data/chancery.db',
    // The password of a database stands in it.
    secret: true,
    pattern: new RegExp(`^(?:${SQLITE}|${POSTGRES})$`, 'u'),
    rule: 'must be sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT,…/DATABASE',
    description:
      'Where the server keeps its data: an SQLite file (a relative path starts at the working directory), or PostgreSQL. Of several hosts the one that is the primary is used. `?sslmode=` is `verify-full` (with `&sslrootcert=FILE` for your own authority), `verify-ca`, `require` (encrypted, but not verified unless `sslrootcert` is there) or `disable`; without it servers on other machines are verified. `&sslcert=FILE&sslkey=FILE` show a certificate to the database. `?host=FOLDER` names the folder of a Unix socket.',
  }),
  'storage.connections': integer({
    default: 10,
    min: 2,
    max: 1000,
    unit: 'connections',
    description: 'How many connections to PostgreSQL one process opens at most; half of them are for reads.',
  }),
  'storage.deadline': integer({
    default: 2000,
    min: 100,
    max: 60_000,
    unit: 'milliseconds',
    description:
      'How long PostgreSQL may take to accept a connection, and to answer; after that a request is answered 503 or 500 and its connection given up.',
  }),
  'storage.replica-url': text({
    default: 'none',
    secret: true,
    pattern: new RegExp(`^(?:none|${POSTGRES})$`, 'u'),
    rule: 'must be none or postgres://USER:PASSWORD@HOST:PORT,…/DATABASE',
    description:
      'A PostgreSQL standby where the list of clients (`GET /clients`) is read instead, as old as the standby is. Nothing else is ever read there.',
  }),
};
