import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACTOR, ADA, START, testEndUsers } from '../testing/end-users.ts';
import { AccountRefused, addAccount, deleteAccount, setDisabled } from './manage-account.ts';

test('an account has a random subject, its name as typed, and a password hash', async () => {
  const { accounts, storage } = await testEndUsers();
  const account = await addAccount(accounts, ADA, ACTOR);
  assert.match(account.sub, /^[A-Za-z0-9]{24}$/);
  assert.deepEqual([account.username, account.login_name], ['Ada', 'ada']);
  assert.deepEqual(await storage.accounts.find(account.sub), account);
  assert.ok(!JSON.stringify(account).includes(ADA.password));
  const [event] = await storage.audit.page(0, 10);
  assert.equal(event?.action, 'account.create');
  assert.deepEqual([event.sub, event.detail], [account.sub, null]);
});

test('a name is unique in every spelling; after a deletion its new owner has another subject', async () => {
  const { accounts } = await testEndUsers();
  const first = await addAccount(accounts, ADA, ACTOR);
  await assert.rejects(addAccount(accounts, { ...ADA, username: 'ＡＤＡ' }, ACTOR), /"ada" already/);
  await deleteAccount(accounts, first, ACTOR);
  assert.notEqual((await addAccount(accounts, ADA, ACTOR)).sub, first.sub);
});

test('claims of an account have the types of OpenID Connect Core 1.0 §5.1, and reserved claims are refused', async () => {
  const { accounts } = await testEndUsers();
  const good = {
    name: 'Ada',
    'name#ja': 'エイダ',
    email_verified: true,
    address: { country: 'UK' },
    department: ['engines'],
  };
  await addAccount(accounts, { ...ADA, claims: good }, ACTOR);
  const bad: readonly Readonly<Record<string, unknown>>[] = [
    { sub: 'somebody' },
    { iss: 'https://evil.example' },
    { 'sub#en': 'somebody' },
    { acr: 'high' },
    { name: 1 },
    { 'name#ja': null },
    { email_verified: 'true' },
    { address: 'London' },
    { address: [] },
    { '': 'x' },
    { 'a b': 'x' },
    { 'a\0b': 'x' },
    { [`a${'b'.repeat(128)}`]: 'x' },
    { text: 'x'.repeat(16_384) },
  ];
  for (const claims of bad) {
    const attempt = addAccount(accounts, { ...ADA, username: 'bob', claims }, ACTOR);
    await assert.rejects(attempt, AccountRefused, JSON.stringify(claims).slice(0, 60));
  }
});

test('of two parallel changes one succeeds and the other is refused', async () => {
  const { accounts } = await testEndUsers();
  const account = await addAccount(accounts, ADA, ACTOR);
  const outcomes = await Promise.allSettled([
    setDisabled(accounts, account, true, ACTOR),
    setDisabled(accounts, account, false, ACTOR),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('disabling twice keeps the time of the first', async () => {
  const endUsers = await testEndUsers();
  const account = await addAccount(endUsers.accounts, ADA, ACTOR);
  const disabled = await setDisabled(endUsers.accounts, account, true, ACTOR);
  endUsers.pass(60);
  const again = await setDisabled(endUsers.accounts, disabled, true, ACTOR);
  assert.deepEqual([again.disabled_at, again.updated_at], [START, START + 60]);
});
