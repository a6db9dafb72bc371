import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releasedClaims } from './account-claims.ts';

const ada = {
  username: 'ada',
  claims: {
    name: 'Ada Lovelace',
    'name#fr': 'Ada, comtesse de Lovelace',
    email: 'ada@example.com',
    email_verified: true,
    phone_number: '+44 20',
    address: { country: 'GB' },
    badge: 7,
  },
};

const ROWS: readonly (readonly [
  scope: readonly string[],
  requested: readonly string[],
  names: readonly string[],
])[] = [
  [[], [], []],
  [['openid'], [], []],
  [['openid', 'profile'], [], ['preferred_username', 'name', 'name#fr']],
  [['email'], [], ['email', 'email_verified']],
  [['phone', 'address'], [], ['phone_number', 'address']],
  [[], ['name#fr'], ['name#fr']],
  [[], ['name', 'badge'], ['name', 'name#fr', 'badge']],
  [[], ['birthdate', '__proto__', 'constructor'], []],
  [['__proto__', 'constructor', 'toString'], [], []],
];

for (const [scope, requested, names] of ROWS) {
  test(`scope ${scope.join(' ') || 'none'}, claims ${requested.join(' ') || 'none'}: ${names.join(', ') || 'nothing'} (OpenID Connect Core 1.0 §5.4, §5.5)`, () => {
    const released = releasedClaims(ada, scope, requested);
    assert.deepEqual(Object.keys(released).sort(), [...names].sort());
    for (const [name, value] of Object.entries(released)) {
      assert.deepEqual(
        value,
        name === 'preferred_username' ? 'ada' : ada.claims[name as keyof typeof ada.claims],
      );
    }
  });
}
