import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { CLIENTS } from './catalogue.ts';
import { ownName } from './https-site.ts';
import { installClients } from './installed.ts';
import type { Page } from './visitor.ts';
import { arrived, atWebsite, EMAIL, registersItself, signInAt, type Visit, type Website } from './website.ts';

interface Journey extends Website {
  /** Signs the person in, where that is not a link to `/login`. */
  readonly signIn?: (visit: Visit) => Promise<Page>;
  /** Shown at the end, if not the e-mail address. */
  readonly shows?: RegExp;
  /** Its own way to sign out, where the website has one; afterwards it knows the person no longer. */
  readonly signOut?: string;
}

const node = (recipe: string): Website['command'] => [process.execPath, recipe];

/** A person chooses the provider on Auth.js's own page, whose form has a token. */
async function throughAuthJs({ base, person }: Visit): Promise<Page> {
  const { csrfToken } = JSON.parse((await person.go(`${base}/auth/csrf`)).text) as { csrfToken: string };
  const form = { csrfToken, callbackUrl: `${base}/` };
  return await person.go(`${base}/auth/signin/chancery`, { form });
}

/** The script of a page asks better-auth for the address to go to. */
async function throughBetterAuth({ base, person }: Visit): Promise<Page> {
  const json = { provider: 'chancery', callbackURL: `${base}/` };
  const { text } = await person.go(`${base}/api/auth/sign-in/social`, { json });
  const { url } = JSON.parse(text) as { url: string };
  return await person.go(url);
}

const JOURNEYS: readonly Journey[] = [
  {
    name: 'passport-openidconnect',
    command: node('passport-openidconnect.mjs'),
    callback: '/callback',
    shows: /"value":"developer@example\.com"/,
  },
  { name: 'passport-oauth2', command: node('passport-oauth2.mjs'), callback: '/callback' },
  { name: 'openid-client 6', command: node('openid-client.mjs'), callback: '/callback', signOut: '/logout' },
  {
    name: 'openid-client 5',
    command: node('openid-client-5.mjs'),
    callback: '/callback',
    signOut: '/logout',
  },
  {
    name: 'express-openid-connect',
    command: node('express-openid-connect.mjs'),
    callback: '/callback',
    signOut: '/logout',
  },
  { name: 'oauth4webapi', command: node('oauth4webapi.mjs'), callback: '/callback' },
  {
    name: 'Auth.js',
    command: node('auth-js.mjs'),
    callback: '/auth/callback/chancery',
    signIn: throughAuthJs,
  },
  {
    name: 'better-auth',
    command: node('better-auth.mjs'),
    callback: '/api/auth/callback/chancery',
    signIn: throughBetterAuth,
  },
  {
    name: 'grant',
    command: node('grant.mjs'),
    callback: '/connect/chancery/callback',
    signIn: async ({ base, person }) => await person.go(`${base}/connect/chancery`),
  },
  { name: 'simple-oauth2', command: node('simple-oauth2.mjs'), callback: '/callback' },
  { name: '@badgateway/oauth2-client', command: node('badgateway-oauth2-client.mjs'), callback: '/callback' },
  { name: '@fastify/oauth2', command: node('fastify-oauth2.mjs'), callback: '/callback' },
  { name: '@hapi/bell', command: node('hapi-bell.mjs'), callback: '/login' },
];

/** Returns whether the catalogue says that the client uses PKCE. */
const saysPkce = (name: string): boolean | undefined =>
  CLIENTS.find((client) => client.name === name)?.shown.includes('PKCE');

let program: Program;

before(async () => {
  await installClients();
  program = await startProgram({ mode: 'dev' });
});
after(async () => await program.stop());

for (const { signIn = signInAt, shows = EMAIL, signOut, ...website } of JOURNEYS) {
  const outcome = signOut === undefined ? 'signs a person in' : 'signs a person in and out';
  test(`${website.name}: ${outcome} with its defaults`, async () => {
    await atWebsite(program, website, async (visit) => {
      assert.match(arrived(visit, await signIn(visit)).text, shows);
      const sent = visit.person.way.find((url) => url.startsWith(`${program.issuer}/authorize?`));
      assert.equal(sent?.includes('code_challenge_method=S256'), saysPkce(website.name), `${sent}`);
      if (signOut !== undefined) await signOutAt(visit, signOut);
    });
  });
}

for (const [name, recipe] of [
  ['openid-client 6', 'openid-client-registration.mjs'],
  ['openid-client 5', 'openid-client-5-registration.mjs'],
] as const) {
  test(`${name}: registers itself with an initial access token`, async () => {
    await registersItself(program, node(recipe));
  });
}

for (const [name, option] of [
  ['Auth.js', /^ *idToken: false,\n/m],
  ['passport-openidconnect', /^ *skipUserProfile: false,\n/m],
] as const) {
  test(`${name}: takes the person from the ID token with id-token.scope-claims token-endpoint, without its option`, async () => {
    const { signIn = signInAt, shows = EMAIL, ...website } = journeyOf(name);
    const folder = mkdtempSync(join(import.meta.dirname, 'node_modules/.recipe-'));
    const server = await startProgram({
      mode: 'dev',
      environment: { CHANCERY_ID_TOKEN_SCOPE_CLAIMS: 'token-endpoint' },
    });
    try {
      const [runtime, recipe = ''] = website.command;
      const text = readFileSync(join(import.meta.dirname, 'recipes', recipe), 'utf8');
      assert.match(text, option);
      const copy = join(folder, recipe);
      writeFileSync(copy, text.replace(option, ''));
      await atWebsite(server, { ...website, command: [runtime, copy] }, async (visit) => {
        assert.match(arrived(visit, await signIn(visit)).text, shows);
      });
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
}

function journeyOf(name: string): Journey {
  const journey = JOURNEYS.find((one) => one.name === name);
  assert.ok(journey);
  return journey;
}

test('express-openid-connect without a secret: signs a person in and out by the implicit grant and form_post', async (t) => {
  const name = await ownName();
  if (typeof name === 'string') {
    t.skip(name);
    return;
  }
  const website = {
    name: 'express-openid-connect without a secret',
    command: node('express-openid-connect-implicit.mjs'),
    callback: '/callback',
    metadata: {
      response_types: ['id_token'],
      grant_types: ['implicit'],
      token_endpoint_auth_method: 'none',
    },
  };
  await atWebsite(
    program,
    website,
    async (visit) => {
      assert.match((await signInAt(visit)).text, EMAIL);
      await signOutAt(visit, '/logout');
    },
    name,
  );
});

/** Signs out at the website and at the server. The server returns the person, and asks the next time who it is. */
async function signOutAt(visit: Visit, path: string): Promise<void> {
  const page = arrived(visit, await visit.person.go(`${visit.base}${path}`));
  assert.equal(page.text, 'null');
  assert.ok(visit.person.way.some((url) => url.startsWith(`${program.issuer}/logout?`)));
}
