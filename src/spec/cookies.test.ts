import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cookieName, readCookie, setCookie } from './cookies.ts';

const NAME = '__Host-chancery';

test('Set-Cookie over https: prefixed name and every attribute (RFC 6265 §4.1)', () => {
  const cookie = { name: cookieName('chancery', true), value: 'abc', maxAge: undefined, secure: true };
  assert.equal(setCookie(cookie), '__Host-chancery=abc; Path=/; Secure; HttpOnly; SameSite=Lax');
});

test('Set-Cookie over http, on one’s desk: a plain name, not Secure; a maximum age where there is one', () => {
  const cookie = { name: cookieName('chancery', false), value: '', maxAge: 0, secure: false };
  assert.equal(setCookie(cookie), 'chancery=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
});

const READ: readonly (readonly [string, string | undefined, string | undefined])[] = [
  ['no header', undefined, undefined],
  ['ours alone', `${NAME}=abc`, 'abc'],
  ['ours among others', `a=b; ${NAME}=abc;c=d`, 'abc'],
  ['without a space between', `a=b;${NAME}=abc`, 'abc'],
  ['ours twice (H-181)', `${NAME}=abc; ${NAME}=def`, undefined],
  ['ours twice, the same value', `${NAME}=abc; ${NAME}=abc`, undefined],
  ['another case of the name', `__host-chancery=abc`, undefined],
  ['without the prefix', 'chancery=abc', undefined],
  ['a longer name', `${NAME}_chunks=999999`, undefined],
  ['a name that ends in ours', `x${NAME}=abc`, undefined],
  ['no value', `${NAME}=`, ''],
  ['no equals sign', NAME, undefined],
  ['quotes', `${NAME}="abc"`, undefined],
  ['a comma', `${NAME}=abc,def`, undefined],
  ['a space inside', `${NAME}=abc def`, undefined],
  ['NUL', `${NAME}=abc\0`, undefined],
  ['a byte beyond ASCII', `${NAME}=abc\u00e9`, undefined],
  ['a line break', `${NAME}=abc\r\nSet-Cookie: a=b`, undefined],
  ['200 cookies of others', `${'a=b; '.repeat(200)}${NAME}=abc`, 'abc'],
  ['200 KB of other hosts (H-235)', `a=${'b'.repeat(200_000)}; ${NAME}=abc`, 'abc'],
];

for (const [what, header, value] of READ) {
  test(`Cookie: ${what} → ${value === undefined ? 'none' : JSON.stringify(value)}`, () => {
    assert.equal(readCookie(header, NAME), value);
  });
}
