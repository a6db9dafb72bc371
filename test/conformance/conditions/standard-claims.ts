import { expect, shown } from '../verdict.ts';
import type { Json } from '../world.ts';

type Holds = (value: unknown) => boolean;

const isText: Holds = (value) =>
  typeof value === 'string' && value.trim() !== '' && value.toLowerCase() !== 'null';
const isBoolean: Holds = (value) => typeof value === 'boolean';
const isNumber: Holds = (value) => typeof value === 'number';
const isObject: Holds = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isBirthdate: Holds = (value) =>
  typeof value === 'string' && /^(?:\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])|\d{4})$/.test(value);

const TEXTS = [
  'sub',
  'name',
  'given_name',
  'family_name',
  'middle_name',
  'nickname',
  'preferred_username',
  'profile',
  'picture',
  'website',
  'email',
  'gender',
  'zoneinfo',
  'locale',
  'phone_number',
  'txn',
];
const ADDRESS: ReadonlySet<string> = new Set([
  'formatted',
  'street_address',
  'locality',
  'region',
  'postal_code',
  'country',
]);

/** OpenID Connect Core 1.0 §5.1: the types of the standard claims. Claims of other names are not looked at. */
const STANDARD: Readonly<Record<string, Holds>> = {
  ...Object.fromEntries(TEXTS.map((name) => [name, isText])),
  email_verified: isBoolean,
  phone_number_verified: isBoolean,
  birthdate: isBirthdate,
  updated_at: isNumber,
  _claim_names: isObject,
  _claim_sources: isObject,
  address: (value) =>
    isObject(value) &&
    Object.entries(value as Json).every(([name, part]) => !ADDRESS.has(name) || isText(part)),
};

/** OpenID Connect Core 1.0 §5.4: the claims that a scope value stands for. */
export const SCOPE_CLAIMS: Readonly<Record<string, readonly string[]>> = {
  openid: ['sub'],
  profile: [
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
    'preferred_username',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
  offline_access: [],
};

export function expectStandardClaims(claims: Json): void {
  expect(Object.keys(claims).length > 0, 'no claims');
  for (const [name, value] of Object.entries(claims))
    expect(STANDARD[name]?.(value) ?? true, `${name} is ${shown(value)}`);
}

export function expectScopesReturned(scope: unknown, claims: Json): void {
  const missing = String(scope)
    .split(' ')
    .flatMap((each) => SCOPE_CLAIMS[each] ?? [])
    .filter((name) => !(name in claims));
  expect(missing.length === 0, `missing: ${missing.join(', ')}`);
}

/** Seconds since 1970, and between the two; milliseconds would be far after. */
export function expectTime(
  claims: Json,
  name: string,
  { after, before }: { after?: number; before?: number },
): void {
  const value = claims[name];
  expect(typeof value === 'number', `${name} is ${shown(value)}`);
  expect(value < 5e9, `${name} ${value} is not in seconds`);
  expect(after === undefined || value >= after, `${name} ${value} is too early`);
  expect(before === undefined || value <= before, `${name} ${value} is too late`);
}
