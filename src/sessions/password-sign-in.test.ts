import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../keys/digest.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import { TooManyRequests } from '../spec/errors.ts';
import { argon2PasswordHasher } from '../system/password-hasher.ts';
import { systemRandom } from '../system/random.ts';
import { ACTOR, ADA, QUICK, START, type TestEndUsers, testEndUsers } from '../testing/end-users.ts';
import { addAccount, setDisabled, setPassword } from './manage-account.ts';
import { authenticateWithPassword, type PasswordAttempt } from './password-sign-in.ts';

const LIMITS = {
  'sign-in.attempts-per-account-and-network': 3,
  'sign-in.attempts-per-account': 6,
  'sign-in.attempts-per-network': 100,
};

const attempted = (endUsers: TestEndUsers, attempt: Partial<PasswordAttempt> = {}) =>
  authenticateWithPassword(endUsers.signIn, {
    method: 'password',
    username: 'ada',
    password: ADA.password,
    remoteAddress: '192.0.2.1',
    userAgent: 'Browser/1',
    browser: undefined,
    request_id: 'r',
    client_id: 'rp',
    ...attempt,
  });

test('the right name and password return the account with its claims', async () => {
  const endUsers = await testEndUsers();
  const { sub, updated_at } = await addAccount(endUsers.accounts, ADA, ACTOR);
  const claims = { ...ADA.claims, updated_at };
  for (const username of ['Ada', 'ADA', 'ａｄａ']) {
    const account = { sub, username: 'Ada', claims, disabled: false, version: 1, admin_role: null };
    assert.deepEqual(await attempted(endUsers, { username }), { outcome: 'authenticated', account });
  }
});

const REFUSED: readonly (readonly [string, Partial<PasswordAttempt>, string])[] = [
  ['a wrong password', { password: 'correct horsf' }, 'wrong-password'],
  ['another case', { password: 'Correct horse' }, 'wrong-password'],
  ['a password and a space', { password: 'correct horse ' }, 'wrong-password'],
  ['no password', { password: '' }, 'wrong-password'],
  ['a password with NUL behind it', { password: 'correct horse\0' }, 'wrong-password'],
  ['a password with a lone surrogate', { password: 'correct horse\ud800' }, 'wrong-password'],
  ['a password of a megabyte', { password: 'x'.repeat(1 << 20) }, 'wrong-password'],
  ['an unknown name', { username: 'bob' }, 'unknown-user'],
  ['no name', { username: '' }, 'unknown-user'],
  ['a name of a megabyte', { username: 'a'.repeat(1 << 20) }, 'unknown-user'],
  ['a name with NUL behind it', { username: 'ada\0' }, 'unknown-user'],
  ['a Cyrillic lookalike of the name', { username: '\u0430da' }, 'unknown-user'],
  ['a name with a zero-width space', { username: 'a\u200bda' }, 'unknown-user'],
];

for (const [what, attempt, reason] of REFUSED) {
  test(`${what} is refused; only the log has the reason, without the typed text`, async () => {
    const endUsers = await testEndUsers();
    const { sub } = await addAccount(endUsers.accounts, ADA, ACTOR);
    assert.deepEqual(await attempted(endUsers, attempt), { outcome: 'refused' });
    const members = {
      tenant: 'test',
      at: START,
      action: 'sign-in.refuse',
      outcome: 'refused',
      actor: 'unknown',
      client_id: 'rp',
      request_id: 'r',
      detail: reason,
      ...(reason === 'unknown-user' ? {} : { sub }),
      address: '192.0.2.1',
      user_agent: 'Browser/1',
      reason,
    };
    assert.deepEqual(endUsers.lines, [{ message: 'sign-in refused', members }]);
  });
}

test('an unknown name costs one hash, like a wrong password', async () => {
  let verified = 0;
  const inner = argon2PasswordHasher({ parameters: QUICK, concurrency: 1, waitingMax: 9 }, systemRandom);
  const passwords: PasswordHasher = {
    ...inner,
    verify: (password, hash) => {
      verified += 1;
      return inner.verify(password, hash);
    },
  };
  const endUsers = await testEndUsers(
    { 'sign-in.attempts-per-account-and-network': 0, 'sign-in.attempts-per-account': 0 },
    { passwords },
  );
  await addAccount(endUsers.accounts, ADA, ACTOR);
  for (const [, attempt] of REFUSED) {
    verified = 0;
    await attempted(endUsers, attempt);
    assert.equal(verified, 1, JSON.stringify(attempt).slice(0, 80));
  }
});

test('a disabled account is refused like a wrong password, and signs in after it is enabled', async () => {
  const endUsers = await testEndUsers();
  const account = await addAccount(endUsers.accounts, ADA, ACTOR);
  const disabled = await setDisabled(endUsers.accounts, account, true, ACTOR);
  assert.deepEqual(await attempted(endUsers), { outcome: 'refused' });
  assert.equal(endUsers.lines[0]?.members['reason'], 'disabled-account');
  await setDisabled(endUsers.accounts, disabled, false, ACTOR);
  assert.equal((await attempted(endUsers)).outcome, 'authenticated');
});

test('after too many failures even the right password must wait, and so must an unknown name', async () => {
  const endUsers = await testEndUsers(LIMITS);
  await addAccount(endUsers.accounts, ADA, ACTOR);
  for (const username of ['ada', 'bob']) {
    for (let failure = 0; failure < 3; failure += 1) {
      assert.equal((await attempted(endUsers, { username, password: 'wrong' })).outcome, 'refused');
    }
    const refused = { outcome: 'too_many_attempts', retry_after: 1200 };
    for (let time = 0; time < 3; time += 1)
      assert.deepEqual(await attempted(endUsers, { username }), refused);
  }
  const locked = await endUsers.storage.audit.page(0, 100);
  assert.deepEqual(
    locked.map(({ action }) => action),
    ['account.create', 'account.locked'],
    'one event for an attack, and none for an unknown name',
  );
  endUsers.pass(1200);
  assert.equal((await attempted(endUsers)).outcome, 'authenticated');
});

test('a known browser signs in while strangers guess', async () => {
  const endUsers = await testEndUsers(LIMITS);
  const { sub } = await addAccount(endUsers.accounts, ADA, ACTOR);
  await endUsers.storage.accounts.rememberBrowser(sub, digestOf('known'), START + 60, 5);
  for (const network of [1, 2, 3]) {
    for (let failure = 0; failure < 3; failure += 1) {
      await attempted(endUsers, { password: 'wrong', remoteAddress: `192.0.2.${network}` });
    }
  }
  assert.equal((await attempted(endUsers)).outcome, 'too_many_attempts');
  assert.equal((await attempted(endUsers, { browser: 'unknown' })).outcome, 'too_many_attempts');
  assert.equal((await attempted(endUsers, { browser: 'known' })).outcome, 'authenticated');
});

test('of fifty parallel wrong passwords only as many are checked as the limit allows', async () => {
  const endUsers = await testEndUsers(LIMITS);
  await addAccount(endUsers.accounts, ADA, ACTOR);
  const wrong = Array.from({ length: 50 }, () => attempted(endUsers, { password: 'wrong' }));
  const outcomes = (await Promise.all(wrong)).map(({ outcome }) => outcome);
  assert.equal(outcomes.filter((outcome) => outcome === 'refused').length, 3);
});

test('when too many passwords wait to be checked, no attempt is counted', async () => {
  const passwords: PasswordHasher = {
    ...(await testEndUsers()).accounts.passwords,
    verify: () => Promise.reject(new TooManyRequests(1)),
  };
  const endUsers = await testEndUsers(LIMITS, { passwords });
  await addAccount(endUsers.accounts, ADA, ACTOR);
  for (let busy = 0; busy < 10; busy += 1) {
    assert.deepEqual(await attempted(endUsers), { outcome: 'too_many_attempts', retry_after: 1 });
  }
});

test('a hash with outdated parameters is renewed at the next sign-in without ending a session', async () => {
  const endUsers = await testEndUsers();
  const dearer = { ...QUICK, passes: 2 };
  const passwords = argon2PasswordHasher({ parameters: dearer, concurrency: 2, waitingMax: 9 }, systemRandom);
  const account = await addAccount({ ...endUsers.accounts, passwords }, ADA, ACTOR);
  assert.match(account.password_hash ?? '', /t=2/);
  const outcome = await attempted(endUsers);
  assert.ok(outcome.outcome === 'authenticated');
  assert.equal(outcome.account.version, 2);
  assert.match((await endUsers.storage.accounts.find(account.sub))?.password_hash ?? '', /t=1/);
  assert.equal((await attempted(endUsers)).outcome, 'authenticated');
});

test('the old password is invalid after a new one is set', async () => {
  const endUsers = await testEndUsers();
  const account = await addAccount(endUsers.accounts, ADA, ACTOR);
  await setPassword(endUsers.accounts, account, 'battery staple', ACTOR);
  assert.equal((await attempted(endUsers)).outcome, 'refused');
  assert.equal((await attempted(endUsers, { password: 'battery staple' })).outcome, 'authenticated');
});
