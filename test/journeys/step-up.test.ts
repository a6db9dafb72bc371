import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import { browserAt, CALLBACK, type Registered, register } from '../hostile/sign-in-world.ts';
import type { PlainBrowser } from '../program/plain-browser.ts';
import { type Program, sha256, startProgram } from '../program/start.ts';

/**
 * The circle of RFC 9470 with oauth4webapi as the client: a resource server wants a stronger and newer sign-in than its token
 * tells of, the client takes the challenge to the authorisation server, the end-user signs in again, and the new token passes.
 */
const insecure = { [oauth.allowInsecureRequests]: true } as const;
const PAGE_TOKEN = 'token-of-the-sign-in-page-of-this-journey-0123456';
const PAGE = 'http://127.0.0.1:9/sign-in';
const [PASSWORD, STRONG] = ['urn:example:pwd', 'urn:example:mfa'];
const MAX_AGE = 300;
const SCOPE = 'openid transfers';

type Members = Readonly<Record<string, unknown>>;
/** Returns what a token says, or undefined if it is not valid. */
type Reader = (token: string) => Promise<Members | undefined>;

let program: Program;
let server: oauth.AuthorizationServer;
const bank: Partial<Record<'introspecting' | 'verifying', Server>> = {};

before(async () => {
  program = await startProgram({
    environment: {
      CHANCERY_SIGN_IN_EXTERNAL_URL: PAGE,
      CHANCERY_SIGN_IN_TOKEN_SHA256: sha256(PAGE_TOKEN),
      CHANCERY_SIGN_IN_ACR_VALUES: `${PASSWORD},${STRONG}`,
      CHANCERY_SIGN_IN_ACR_REQUIRED: 'true',
    },
  });
  const metadata = (await (
    await fetch(`${program.url}/.well-known/oauth-authorization-server`)
  ).json()) as oauth.AuthorizationServer;
  server = reachedAt(metadata);
  const introspectionScope = `${program.issuer}/token/introspect`;
  const reader = await register(program, {
    redirect_uris: [],
    grant_types: ['client_credentials'],
    scope: introspectionScope,
  });
  bank.introspecting = await resourceServer(introspecting(reader));
  bank.verifying = await resourceServer(verifying());
});

after(async () => {
  for (const each of Object.values(bank)) each.close();
  await program.stop();
});

/** The issuer's addresses lie behind a proxy that these tests do without. */
function reachedAt(metadata: oauth.AuthorizationServer): oauth.AuthorizationServer {
  const entries = Object.entries(metadata).map(([name, value]) =>
    typeof value === 'string' && name !== 'issuer'
      ? [name, value.replace(program.issuer, program.url)]
      : [name, value],
  );
  return Object.fromEntries(entries) as oauth.AuthorizationServer;
}

/** Asks the authorisation server about each token (RFC 9470 §6.2). */
function introspecting(as: Registered): Reader {
  return async (token) => {
    const credentials = oauth.ClientSecretBasic(as.client_secret);
    const client = { client_id: as.client_id };
    const answer = await oauth.introspectionRequest(server, client, credentials, token, insecure);
    const said = await oauth.processIntrospectionResponse(server, client, answer);
    return said.active ? said : undefined;
  };
}

/** Verifies a JWT with the published keys (RFC 9470 §6.1). */
function verifying(): Reader {
  const keys = createRemoteJWKSet(new URL(String(server.jwks_uri)));
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer: program.issuer, typ: 'at+jwt' });
    return payload;
  };
}

/** A resource server that wants a strong sign-in of the last minutes (RFC 9470 §3). */
async function resourceServer(read: Reader): Promise<Server> {
  const listener = createServer((request, response) => {
    void answer(read, request, response);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return listener;
}

async function answer(read: Reader, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const challenge = await challengeFor(read, request);
    if (challenge === undefined) response.writeHead(200).end();
    else response.writeHead(401, { 'www-authenticate': challenge }).end();
  } catch (cause) {
    response.writeHead(500).end(String(cause));
  }
}

async function challengeFor(read: Reader, { headers }: IncomingMessage): Promise<string | undefined> {
  const [, token = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
  const said = await read(token);
  if (said === undefined) return 'Bearer error="invalid_token"';
  const isNew = Date.now() / 1000 - Number(said['auth_time']) <= MAX_AGE;
  return said['acr'] === STRONG && isNew
    ? undefined
    : `Bearer error="insufficient_user_authentication", error_description="a stronger sign-in is needed", acr_values="${STRONG}", max_age="${MAX_AGE}"`;
}

/** Calls the resource server; returns the parameters of its challenge, or undefined if the token passes. */
async function challengeOf(kind: keyof typeof bank, access_token: string): Promise<Members | undefined> {
  const { port } = (bank[kind] ?? assert.fail('no resource server')).address() as AddressInfo;
  const address = new URL(`http://127.0.0.1:${port}/transfers`);
  try {
    const answer = await oauth.protectedResourceRequest(
      access_token,
      'POST',
      address,
      undefined,
      null,
      insecure,
    );
    assert.equal(answer.status, 200);
    return undefined;
  } catch (failure) {
    assert.ok(failure instanceof oauth.WWWAuthenticateChallengeError, String(failure));
    return { ...failure.cause[0]?.parameters };
  }
}

/** The client's side of one authorisation. */
interface Attempt {
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  readonly browser: PlainBrowser;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly pushed?: boolean;
  /** The report of the operator's page. Undefined if the browser is not to be sent there. */
  readonly outcome: object | undefined;
}

/** Leads the browser through an authorisation; returns the parameters that the client gets, still to be validated. */
async function authorize({
  client,
  authentication,
  browser,
  parameters = {},
  pushed = false,
  outcome,
}: Attempt) {
  const verifier = oauth.generateRandomCodeVerifier();
  const asked = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: SCOPE,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  });
  const query = pushed ? await push(client, authentication, asked) : asked;
  let visit = await browser.open(`${program.issuer}/authorize?${query.toString()}`);
  const wasSentOut = visit.location?.startsWith(PAGE) ?? false;
  assert.equal(wasSentOut, outcome !== undefined, visit.location ?? visit.html);
  if (outcome !== undefined) visit = await browser.open(await reported(visit.location ?? '', outcome));
  if (visit.html.includes('value="allow"')) visit = await browser.submit(visit, 'allow');
  return { verifier, answered: new URL(visit.location ?? '') };
}

async function push(
  client: oauth.Client,
  authentication: oauth.ClientAuth,
  asked: URLSearchParams,
): Promise<URLSearchParams> {
  const answer = await oauth.pushedAuthorizationRequest(server, client, authentication, asked, insecure);
  const { request_uri } = await oauth.processPushedAuthorizationResponse(server, client, answer);
  return new URLSearchParams({ client_id: client.client_id, request_uri });
}

/** The server of the operator's sign-in page reports how the end-user signed in (docs/sign-in.md). */
async function reported(location: string, outcome: object): Promise<string> {
  const handle = new URL(location).searchParams.get('interaction') ?? '';
  const answer = await fetch(`${program.url}/interaction-api/${handle}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PAGE_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(outcome),
  });
  const { redirect_to } = (await answer.json()) as { readonly redirect_to: string };
  assert.equal(answer.status, 200);
  return redirect_to;
}

async function tokens(attempt: Attempt): Promise<oauth.TokenEndpointResponse> {
  const { client, authentication } = attempt;
  const { verifier, answered } = await authorize(attempt);
  const validated = oauth.validateAuthResponse(server, client, answered, oauth.skipStateCheck);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    validated,
    CALLBACK,
    verifier,
    insecure,
  );
  return await oauth.processAuthorizationCodeResponse(server, client, answer);
}

async function aClient(format: string): Promise<Pick<Attempt, 'client' | 'authentication'>> {
  const made = await register(program, { scope: SCOPE, chancery_access_token_format: format });
  return {
    client: { client_id: made.client_id },
    authentication: oauth.ClientSecretBasic(made.client_secret),
  };
}

const secondsAgo = (seconds: number): number => Math.floor(Date.now() / 1000) - seconds;

for (const [kind, format] of [
  ['introspecting', 'identifier'],
  ['verifying', 'self-contained'],
] as const) {
  for (const pushed of [false, true]) {
    // proves rfc9470-4-1, rfc9470-5-1, rfc9470-6.1-1, rfc9470-6.2-1
    test(`${kind} resource server, ${pushed ? 'pushed' : 'plain'} request: the token is challenged, the end-user signs in again, and the new token passes, as do its refreshed ones (RFC 9470)`, async () => {
      const who = { ...(await aClient(format)), browser: browserAt(program) };
      const weak = { subject: 'ada', acr: PASSWORD, amr: ['pwd'], auth_time: secondsAgo(4000) };
      const first = await tokens({ ...who, outcome: weak });
      const challenge = await challengeOf(kind, first.access_token);
      assert.equal(challenge?.['error'], 'insufficient_user_authentication');
      const { acr_values, max_age } = challenge as { readonly acr_values: string; readonly max_age: string };
      const strong = { subject: 'ada', acr: STRONG, amr: ['pwd', 'otp'] };
      const parameters = { acr_values, max_age };
      const second = await tokens({ ...who, parameters, pushed, outcome: strong });
      assert.equal(await challengeOf(kind, second.access_token), undefined);
      const refreshed = await oauth.processRefreshTokenResponse(
        server,
        who.client,
        await oauth.refreshTokenGrantRequest(
          server,
          who.client,
          who.authentication,
          String(second.refresh_token),
          insecure,
        ),
      );
      assert.equal(await challengeOf(kind, refreshed.access_token), undefined);
      // The session is strong and new enough: the next request shows no page.
      const third = await tokens({ ...who, parameters, outcome: undefined });
      assert.equal(await challengeOf(kind, third.access_token), undefined);
    });
  }
}

// proves rfc9470-5-2
test('a sign-in without the required acr: unmet_authentication_requirements, and no token to be challenged again (RFC 9470 §5)', async () => {
  const who = { ...(await aClient('identifier')), browser: browserAt(program) };
  const weak = { subject: 'eve', acr: PASSWORD };
  const { answered } = await authorize({ ...who, parameters: { acr_values: STRONG }, outcome: weak });
  assert.throws(
    () => oauth.validateAuthResponse(server, who.client, answered, oauth.skipStateCheck),
    (failure) =>
      failure instanceof oauth.AuthorizationResponseError &&
      failure.error === 'unmet_authentication_requirements',
  );
});

test('max_age 0 leads to the page within the second of a sign-in; prompt=none is login_required instead (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const who = { ...(await aClient('identifier')), browser: browserAt(program) };
  const strong = { subject: 'ada', acr: STRONG };
  await tokens({ ...who, outcome: strong });
  await tokens({ ...who, parameters: { max_age: '0' }, outcome: strong });
  const silent = { max_age: '0', prompt: 'none' };
  const { answered } = await authorize({ ...who, parameters: silent, outcome: undefined });
  assert.equal(answered.searchParams.get('error'), 'login_required');
});
