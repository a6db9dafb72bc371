import { ACCOUNTS, payment } from '../../src/testing/authorization-details.ts';

const accounts = (note: string): string => `[{"type":"${ACCOUNTS.type}","note":${note}}]`;
const list = (...details: readonly object[]): string => JSON.stringify(details);

/** H-630: values that are no list of details. */
export const MALFORMED: readonly string[] = [
  ' ',
  '{}',
  '[',
  '[]',
  'null',
  '"[]"',
  '[null]',
  '[[]]',
  '["payment_initiation"]',
  '[{}]',
  '[{"type":null}]',
  '[{"type":["payment_initiation"]}]',
  '[{"type":"account_information"},]',
  '\ufeff[{"type":"account_information"}]',
  "[{'type':'account_information'}]",
  '[{"type":"account_information","type":"payment_initiation"}]',
  accounts('"\\u0000"'),
  accounts('"\\ud800"'),
  accounts('1e400'),
  accounts('12345678901234567890'),
  accounts('NaN'),
  accounts('1e-400'),
  accounts('9007199254740992'),
  accounts('{"amount":9999999999999.999}'),
  accounts('[0.10,[100.00000000000000000001]]'),
];

/** H-631: types that are nearly one of the server's, or the name of something in JavaScript. */
export const STRANGE_TYPES: readonly string[] = [
  '',
  ' ',
  'x',
  'Payment_initiation',
  'payment_initiation ',
  ' payment_initiation',
  'payment_initiation\n',
  'p\u0430yment_initiation',
  'payment\u200b_initiation',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'size',
  '*',
  'x'.repeat(7000),
];

/** H-632: more than the server reads. */
export const TOO_MUCH: readonly string[] = [
  accounts(`"${'x'.repeat(8192)}"`),
  accounts(`${'['.repeat(4000)}${']'.repeat(4000)}`),
  accounts('{"a":'.repeat(500) + '1' + '}'.repeat(500)),
  accounts(`{${Array.from({ length: 600 }, (_, index) => `"m${index}":1`).join(',')}}`),
  list(...Array.from({ length: 21 }, () => ({ type: ACCOUNTS.type }))),
  `[${' '.repeat(200_000)}]`,
];

/** H-633: details that break the schema of their type. The amounts would take for ever on an engine with backtracking. */
export const UNFIT: readonly string[] = [
  list(payment({ unknown: 1 })),
  list(payment({ actions: [] })),
  list(payment({ actions: 'initiate' })),
  list(payment({ actions: ['initiate', 'initiate'] })),
  list(payment({ creditorName: 'x'.repeat(101) })),
  list(payment({ creditorName: { toString: 'x' } })),
  list(payment({ locations: ['not a uri'] })),
  list(payment({ instructedAmount: { currency: 'EUR', amount: '1', tip: '1' } })),
  list(payment({ instructedAmount: { currency: 'EUR', amount: '9'.repeat(7000) } })),
  list(payment({ reference: `${'a'.repeat(7000)}!` })),
  list(payment()).replace('{', '{"__proto__":{"actions":["cancel"]},'),
  list(payment()).replace('{', '{"constructor":{},'),
];
