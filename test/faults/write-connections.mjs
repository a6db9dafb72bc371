// Preloaded into a server: before each COMMIT it writes down the thread, and the pragmas of the very connection that commits.
// Plain JavaScript, because the thread that writes loads it too.
import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread } from 'node:worker_threads';

const { prepare } = DatabaseSync.prototype;

function pragma(database, name) {
  return Object.values(prepare.call(database, `PRAGMA ${name}`).get())[0];
}

DatabaseSync.prototype.prepare = function prepareWatched(sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  if (sql !== 'COMMIT' || isMainThread) return statement;
  const run = statement.run.bind(statement);
  statement.run = () => {
    const [journal_mode, synchronous] = [pragma(this, 'journal_mode'), pragma(this, 'synchronous')];
    appendFileSync(process.env.TEST_COMMITS_FILE, `${JSON.stringify({ journal_mode, synchronous })}\n`);
    return run();
  };
  return statement;
};
