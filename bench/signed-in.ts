import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chancery } from '../test/journeys/command.ts';
import { type PlainBrowser, plainBrowser } from '../test/program/plain-browser.ts';
import { ENCRYPTION_KEY, type Program } from '../test/program/start.ts';
import { type Caller, register } from './ours.ts';
import { startHeld } from './start-held.ts';

export const REDIRECT_URI = 'https://client.example.com/callback';
const SCOPE = 'openid';
const PASSWORD = 'the analytical engine weaves';
/** How many requests that fill the load are under way at once. */
const AT_ONCE = 32;
/** Long enough for the last round to use its codes. */
export const CODES_LAST = { CHANCERY_AUTHORIZATION_CODE_LIFETIME: '600' };

/** The program with one person who is signed in, and a client that the operator registered. */
export interface SignedInServer {
  readonly program: Program;
  readonly caller: Caller;
  /** Makes authorisation codes, each for a grant of its own. */
  codes(count: number): Promise<readonly string[]>;
  /** Makes refresh tokens, each of a grant of its own. */
  refreshTokens(count: number): Promise<readonly string[]>;
}

/** @param metadata further metadata of the client */
export async function startSignedIn(
  folder: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<SignedInServer> {
  const own = join(folder, `signed-in-${randomBytes(4).toString('hex')}`);
  mkdirSync(own);
  const program = await startHeld({ folder: own, environment: CODES_LAST });
  return await signedInAt(program, metadata);
}

/** Adds the person and the client to a started program, and signs the person in. @param environment says where its storage is */
export async function signedInAt(
  program: Program,
  metadata: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<SignedInServer> {
  // Another one for each call, because loads may follow each other on one database.
  const person = { username: `ada-${randomBytes(4).toString('hex')}`, password: PASSWORD };
  await addPerson(program.folder, person, environment);
  const caller = await register(program, {
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [REDIRECT_URI],
    scope: SCOPE,
    token_endpoint_auth_method: 'client_secret_basic',
    ...metadata,
  });
  const browser = browserAt(program);
  const address = authorizationAddress(program, caller);
  await signIn(browser, address, person);
  const code = async (): Promise<string> => codeIn((await browser.visit(address)).location);
  const codes = async (count: number): Promise<readonly string[]> => await many(count, code);
  return {
    program,
    caller,
    codes,
    async refreshTokens(count) {
      return await many(count, async () => await redeemed(program, caller, await code()));
    },
  };
}

type Person = Readonly<Record<'username' | 'password', string>>;

async function addPerson(
  folder: string,
  person: Person,
  further: Readonly<Record<string, string>>,
): Promise<void> {
  const environment = {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_STORAGE_URL: `sqlite:${join(folder, 'chancery.db')}`,
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    ...further,
  };
  const words = ['accounts', 'add', person.username, '--password-stdin'];
  const { how, stderr } = await chancery(words, environment, { input: Buffer.from(person.password) });
  if (how !== 0) throw new Error(`chancery accounts add ended with ${how}: ${stderr}`);
}

/** The issuer is an https address that does not exist. The listener is on loopback. */
function browserAt({ issuer, url }: Program): PlainBrowser {
  return plainBrowser(issuer, async (address, init) => await fetch(address.replace(issuer, url), init));
}

function authorizationAddress({ issuer }: Program, { client_id }: Caller): string {
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const query = new URLSearchParams({
    client_id,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: SCOPE,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `${issuer}/authorize?${query.toString()}`;
}

export const VERIFIER = randomBytes(32).toString('base64url');

async function signIn(browser: PlainBrowser, address: string, person: Person): Promise<void> {
  codeIn((await browser.submit(await browser.open(address), 'sign-in', person)).location);
}

function codeIn(location: string | undefined): string {
  const code = new URL(location ?? 'about:blank').searchParams.get('code');
  if (code === null) throw new Error(`no code in ${location}`);
  return code;
}

async function redeemed(
  { url }: Program,
  { client_id, client_secret }: Caller,
  code: string,
): Promise<string> {
  const response = await fetch(`${url}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
    }),
  });
  const { refresh_token } = (await response.json()) as { refresh_token?: unknown };
  if (typeof refresh_token !== 'string') throw new Error(`no refresh token, but ${response.status}`);
  return refresh_token;
}

async function many(count: number, make: () => Promise<string>): Promise<readonly string[]> {
  const made: string[] = [];
  const work = async (): Promise<void> => {
    while (made.length < count) made.push(await make());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return made.slice(0, count);
}
