import { findAccessToken } from '../tokens/access-token.ts';
import { type Command, command } from './command.ts';
import { CommandFailure } from './failure.ts';
import { readInput } from './input.ts';
import { READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { JSON_OPTION, REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { printFields, timeText } from './table.ts';

const TOKEN = {
  token: {
    words:
      'Names the token. Give `-` to read it from standard input: other users of the machine can see the command line.',
  },
} as const;

/** Longer than any token that a server accepts by default (`limits.bearer-token`, `limits.body`). */
const TOKEN_BYTES_MAX = 65_536;

const introspect = command({
  words: ['token', 'introspect'],
  summary: 'Say whether an access token is active, and print its claims',
  description: [
    'The command prints the answer of POST /token/introspect (RFC 7662 §2.2), read from the database. It needs no client, and does not ask whether the token is meant for a certain resource server.',
    'An inactive token has no claims: it may be expired, revoked, used up, of another issuer, or never issued.',
  ],
  servers: READS_BESIDE_SERVERS,
  operands: TOKEN,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One claim per line. With --json, the introspection response.',
  exits: { 1: 'The token is not active, or the command failed.' },
  examples: [
    'chancery token introspect 2YotnFZFEjr1zCsicMWpAA',
    'chancery token introspect - --json < token.txt',
  ],
  run: async (call) => {
    const token = await givenToken(call.operands.token);
    return await withRegistry(call, { create: false }, async ({ needs }) => {
      const found = await findAccessToken(needs.accessTokens, token);
      const response = found?.introspection ?? '{"active":false}';
      if (call.options.json) call.print(response);
      else printFields(call.print, claims(JSON.parse(response) as object));
      return found === undefined ? 1 : 0;
    });
  },
});

const decode = command({
  words: ['token', 'decode'],
  summary: 'Print the header and the claims of a JWT, without checking it',
  description: [
    'The command reads a signed JWT (RFC 7515 §7.1): a self-contained access token, an ID token, an assertion, an entity statement. It checks neither the signature nor a time, and asks no server. To learn whether an access token is valid, use `chancery token introspect`.',
    'For an encrypted JWT it prints the header alone.',
  ],
  servers: 'The command uses no data of a server.',
  operands: TOKEN,
  options: JSON_OPTION,
  environment: [],
  output:
    'The members of the header, then those of the payload. With --json, one JSON object with `header` and `payload`.',
  examples: ['chancery token decode - < id-token.txt'],
  run: async (call) => {
    const { header, payload } = decoded(await givenToken(call.operands.token));
    if (call.options.json) {
      call.print(JSON.stringify({ header, payload }));
      return;
    }
    printFields(call.print, claims(header));
    call.print('');
    if (payload === undefined) call.print('The payload is encrypted.');
    else printFields(call.print, claims(payload));
  },
});

async function givenToken(operand: string): Promise<string> {
  if (operand !== '-') return operand.trim();
  return Buffer.from(await readInput('-', TOKEN_BYTES_MAX))
    .toString('utf8')
    .trim();
}

interface Decoded {
  readonly header: object;
  /** Absent for an encrypted JWT. */
  readonly payload?: object;
}

function decoded(token: string): Decoded {
  const parts = token.split('.');
  const [header = '', payload = ''] = parts;
  if (parts.length === 5) return { header: jsonPart(header, 'header') };
  if (parts.length !== 3)
    throw new CommandFailure(
      `this is no JWT: it has ${parts.length} parts between dots, and a signed JWT has 3, an encrypted one 5`,
    );
  return { header: jsonPart(header, 'header'), payload: jsonPart(payload, 'payload') };
}

function jsonPart(part: string, name: string): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same refusal as for JSON that is no object.
  }
  throw new CommandFailure(`this is no JWT: its ${name} is no JSON object in base64url`);
}

const TIMES: ReadonlySet<string> = new Set(['exp', 'iat', 'nbf', 'auth_time', 'updated_at']);

/** Returns the members of an object for a reader: times in UTC beside their numbers, lists with spaces. */
function claims(members: object): readonly (readonly [name: string, value: string])[] {
  return Object.entries(members).map(([name, value]: [string, unknown]) => {
    if (TIMES.has(name) && Number.isSafeInteger(value))
      return [name, `${String(value)} (${timeText(value as number, '-')})`];
    if (typeof value === 'string') return [name, value];
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
    return [name, isList ? value.join(' ') : JSON.stringify(value)];
  });
}

export const TOKEN_COMMANDS: readonly Command[] = [introspect, decode];
