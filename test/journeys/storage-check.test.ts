import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { migratedDatabase } from '../../src/testing/postgres/database.ts';
import { administer } from '../../src/testing/postgres/server.ts';
import { register } from '../hostile/sign-in-world.ts';
import { ENCRYPTION_KEY, startProgram } from '../program/start.ts';
import { chancery, type Ended } from './command.ts';
import { jsonLines, type Members } from './registry-commands.ts';
import { assertOneLine } from './start-attempts.ts';

/** `chancery storage check` as its operator sees it, on both engines. */
const root = mkdtempSync(join(tmpdir(), 'chancery-checked-'));
after(() => rmSync(root, { recursive: true, force: true }));

const ENGINES = {
  SQLite: async () => await Promise.resolve(`sqlite:${join(mkdtempSync(join(root, 'p-')), 'chancery.db')}`),
  PostgreSQL: migratedDatabase,
};

const check = async (url: string, key = ENCRYPTION_KEY): Promise<Ended> =>
  await chancery(['storage', 'check', '--json'], {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_STORAGE_URL: url,
    CHANCERY_ENCRYPTION_KEY: key,
  });

/** Returns the findings of a check, after asserting its exit code. */
async function findings(url: string): Promise<readonly string[]> {
  const { how, stdout, stderr } = await check(url);
  const [{ rows, findings: found } = {}] = jsonLines(stdout);
  assert.ok(Number(rows) > 10, stderr);
  assert.ok(Array.isArray(found));
  assert.deepEqual([how, stderr], [found.length === 0 ? 0 : 1, '']);
  return found as readonly string[];
}

/** A statement past the program, as a superuser: the same words for both engines. */
async function ask(url: string, statement: string): Promise<readonly Members[]> {
  if (!url.startsWith('sqlite:')) {
    const { port, pathname } = new URL(url);
    return await administer(Number(port), pathname.slice(1), statement);
  }
  const database = new DatabaseSync(url.slice('sqlite:'.length));
  try {
    return database.prepare(statement).all();
  } finally {
    database.close();
  }
}

/** Changes one character in the middle of the sealed text of one row. */
async function flip(url: string, table: string, column: string, where: string): Promise<void> {
  const [row] = await ask(url, `SELECT ${column} AS sealed FROM ${table} WHERE ${where}`);
  const text = String(row?.['sealed']);
  // Behind the name of the key; in JSON the first sealed text is hit.
  const at = text.search(/[0-9a-f]{8}\.[\w-]{30}/u) + 30;
  const flipped = `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
  await ask(url, `UPDATE ${table} SET ${column} = '${flipped}' WHERE ${where}`);
}

for (const [engine, make] of Object.entries(ENGINES)) {
  test(`storage check on ${engine}: nothing is wrong beside a server; sealed texts that do not open, and rows that contradict each other, are named`, async () => {
    const url = await make();
    const program = await startProgram({
      folder: mkdtempSync(join(root, 'f-')),
      environment: { CHANCERY_STORAGE_URL: url },
    });
    const clients = [await register(program), await register(program), await register(program)];
    const [tokenHurt = '', secretHurt = '', metadataHurt = ''] = clients.map(({ client_id }) => client_id);
    assert.deepEqual(await findings(url), []);
    await program.stop();

    const wrong = randomBytes(32).toString('hex');
    const refused = await check(url, wrong);
    assertOneLine(refused, /encryption\.key does not open what the database holds/u);
    assert.doesNotMatch(refused.stderr, new RegExp(wrong, 'u'));

    const [key] = await ask(url, `SELECT kid FROM server_key WHERE "use" = 'sig' ORDER BY kid LIMIT 1`);
    const kid = String(key?.['kid']);
    await flip(url, 'client', 'registration_token_sealed', `client_id = '${tokenHurt}'`);
    await flip(url, 'client', 'secrets', `client_id = '${secretHurt}'`);
    await flip(url, 'server_key', 'sealed_jwk', `kid = '${kid}'`);
    assert.deepEqual(
      new Set(await findings(url)),
      new Set([
        `server key ${kid} of default does not open`,
        `client ${tokenHurt} of default: a secret does not open`,
        `client ${secretHurt} of default: a secret does not open`,
      ]),
    );

    // Where the rows cannot be relied on, what is sealed in them is not looked at.
    await ask(url, `UPDATE client SET metadata = '{' WHERE client_id = '${metadataHurt}'`);
    const [row] = await ask(url, `SELECT instance FROM client WHERE client_id = '${metadataHurt}'`);
    await ask(
      url,
      `INSERT INTO client_use VALUES ('default', 'gone', '${String(row?.['instance'])}', '', 1)`,
    );
    assert.deepEqual(
      new Set(await findings(url)),
      new Set([
        `client ["default",${JSON.stringify(metadataHurt)}]: metadata is no JSON`,
        'client_use ["default","gone"] belongs to no client',
      ]),
    );
  });
}

test('storage check on SQLite: a page that was written over ends with 1 and a finding, or one line, and no stack', async () => {
  const url = await ENGINES.SQLite();
  const path = url.slice('sqlite:'.length);
  const program = await startProgram({
    folder: mkdtempSync(join(root, 'f-')),
    environment: { CHANCERY_STORAGE_URL: url },
  });
  await register(program);
  await program.stop();
  const database = new DatabaseSync(path);
  const page = Number(
    database.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'server_key'`).get()?.['rootpage'],
  );
  const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  database.close();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, (page - 1) * size, page * size));
  const { how, stdout, stderr } = await check(url);
  assert.equal(how, 1);
  assert.match(`${stdout}${stderr}`, /malformed|page|btree/iu);
  assert.doesNotMatch(`${stdout}${stderr}`, /\n\s+at |node:internal/u);
});
