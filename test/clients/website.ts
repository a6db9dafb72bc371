import assert from 'node:assert/strict';
import { initialAccessToken } from '../journeys/initial-access-token.ts';
import { developer } from '../program/developer.ts';
import { freePort } from '../program/free-port.ts';
import type { Program } from '../program/start.ts';
import { type OwnName, startTlsProxy } from './https-site.ts';
import { runRecipe, startRecipe } from './recipe.ts';
import { type Page, type Visitor, visitor } from './visitor.ts';

/** A website that signs people in with the server: a file of `recipes`, started as a reader would start it. */
export interface Website {
  readonly name: string;
  /** The command, run in `recipes`. */
  readonly command: readonly [string, ...string[]];
  /** Below its address: where it takes the answer. */
  readonly callback: string;
  /** Members of its registration beside its name and its redirect URI. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A website with a person in front of it. */
export interface Visit {
  readonly base: string;
  readonly client: Registered;
  readonly person: Visitor;
  /** Returns everything that the website has printed. */
  readonly output: () => string;
}

interface Registered {
  readonly client_id: string;
  /** Absent for a client that has none. */
  readonly client_secret?: string;
}

/** Registers the website, starts it, and stops it when `visiting` is done. With `name`, it has https and that name. */
export async function atWebsite(
  program: Program,
  { name: client_name, command, callback, metadata = {} }: Website,
  visiting: (visit: Visit) => Promise<void>,
  name?: OwnName,
): Promise<void> {
  const port = await freePort();
  const proxy = name === undefined ? undefined : await startTlsProxy(name, port);
  const base = proxy?.base ?? `http://localhost:${port}`;
  const client = await register(program, {
    client_name,
    redirect_uris: [`${base}${callback}`],
    post_logout_redirect_uris: [base, `${base}/`],
    ...metadata,
  });
  const recipe = await startRecipe(command, `http://localhost:${port}`, {
    ISSUER: program.issuer,
    CLIENT_ID: client.client_id,
    ...(client.client_secret === undefined ? {} : { CLIENT_SECRET: client.client_secret }),
    BASE_URL: base,
    PORT: String(port),
  });
  try {
    const person = visitor(program.issuer, await developer(program));
    await visiting({ base, client, person, output: recipe.output });
  } finally {
    await recipe.stop();
    await proxy?.stop();
  }
}

/** A claim of the development account, which a website shows at the end. */
export const EMAIL = /"email": ?"developer@example\.com"/;

/** Signs the person in from the website's `/login`, and returns the page at the end, which shows the claims. */
export async function signInAt(visit: Visit): Promise<Page> {
  return arrived(visit, await visit.person.go(`${visit.base}/login`));
}

/** Returns a page of the website, or fails with what came instead. */
export function arrived({ base, output }: Visit, page: Page): Page {
  assert.equal(page.status, 200, `${page.url}\n${page.text}\n${output()}`);
  assert.ok(page.url.startsWith(base), `${page.url}\n${page.text}`);
  return page;
}

/** Runs a recipe that registers itself with an initial access token, and compares what it learned with the registry. */
export async function registersItself(
  program: Program,
  command: readonly [string, ...string[]],
): Promise<void> {
  const output = await runRecipe(command, {
    ISSUER: program.issuer,
    INITIAL_ACCESS_TOKEN: await initialAccessToken(program, ['client-reg']),
    BASE_URL: 'http://localhost:3000',
  });
  const { client_id, client_secret } = JSON.parse(output) as Registered;
  const answer = await fetch(`${program.issuer}/clients/${client_id}`, {
    headers: { authorization: `Bearer ${program.masterToken}` },
  });
  const kept = (await answer.json()) as Record<string, unknown>;
  assert.equal(kept['client_name'], 'Website', output);
  assert.deepEqual(kept['redirect_uris'], ['http://localhost:3000/callback']);
  assert.equal(kept['client_secret'], client_secret);
}

/** Registers as README says: with an initial access token. */
export async function register(
  program: Program,
  metadata: Readonly<Record<string, unknown>>,
): Promise<Registered> {
  const answer = await fetch(`${program.issuer}/clients`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await initialAccessToken(program, ['client-reg'])}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(metadata),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return JSON.parse(text) as Registered;
}
