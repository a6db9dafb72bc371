import { flag, integer, milliseconds, text } from './setting.ts';

const SQLITE = String.raw`sqlite:(?!:memory:)[^\s?#][^?#]*`;
const POSTGRES = String.raw`postgres(?:ql)?:\/\/[^\s@\/?#]+@[^\s@\/?#]*\/[^\s\/?#]+(?:\?[^\s#]*)?`;

/** Settings for the place of the data and for access to a database on another machine. */
export const STORAGE_SETTINGS = {
  'storage.url': text({
    default: 'sqlite:data/chancery.db',
    // It holds the password of the database.
    secret: true,
    pattern: new RegExp(`^(?:${SQLITE}|${POSTGRES})$`, 'u'),
    rule: 'must be sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT,…/DATABASE',
    description:
      'Where the server keeps its data: an SQLite file (a relative path starts at the working directory), or PostgreSQL. With several hosts, the server uses the primary. `?sslmode=` is `verify-full` (with `&sslrootcert=FILE` for your own authority), `verify-ca`, `require` (encrypted; verified only with `sslrootcert`) or `disable`. Without it, the server verifies databases on other machines. `&sslcert=FILE&sslkey=FILE` authenticate to the database with a certificate. `?host=FOLDER` names the folder of a Unix socket.',
  }),
  'storage.create': flag({
    default: false,
    description:
      'Whether `chancery serve` creates the SQLite file of `storage.url` if there is none. Set it, or start with `--create`, for the first start only: later a missing file means a wrong path or a lost disk, and an empty registry would hide it. Development always creates the file. An empty PostgreSQL database needs `chancery migrate up`.',
  }),
  'storage.connections': integer({
    default: 10,
    min: 2,
    max: 1000,
    unit: 'connections',
    description:
      'The maximum number of connections from one process to PostgreSQL. Half of them serve reads.',
  }),
  'storage.deadline': milliseconds({
    default: 2000,
    min: 100,
    max: 60_000,
    description:
      'How long a request may wait for the database in all: for connections and answers of PostgreSQL, or for a lock of the SQLite file that another process holds. After that the request gets 503 or 500. PostgreSQL also has this long for each connection and each query; then the server abandons the connection.',
  }),
  'storage.replica-url': text({
    default: 'none',
    secret: true,
    pattern: new RegExp(`^(?:none|${POSTGRES})$`, 'u'),
    rule: 'must be none or postgres://USER:PASSWORD@HOST:PORT,…/DATABASE',
    description:
      'A PostgreSQL standby that serves the list of clients (`GET /clients`), as current as the standby is. The server reads nothing else there. Set it to keep long lists off the primary.',
  }),
};
