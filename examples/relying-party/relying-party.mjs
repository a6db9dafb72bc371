// A website whose visitors sign in at Chancery. It registers itself when it starts, with an initial access token:
//   npm run website -- --initial-access-token TOKEN [--issuer URL] [--port PORT]
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import * as openid from 'openid-client';

const { values: options } = parseArgs({
  options: {
    issuer: { type: 'string', default: 'http://127.0.0.1:8080' },
    'initial-access-token': { type: 'string' },
    port: { type: 'string', default: '8090' },
  },
});
const SCOPE = 'openid profile email';
const server = createServer(async (request, response) => {
  const { status = 200, html = '', ...headers } = await answer(request).catch(failed);
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers });
  response.end(`<!doctype html><html lang="en"><title>Sample relying party</title>${html}</html>`);
});
server.once('error', ({ code }) =>
  stop(`Cannot listen on port ${options.port} (${code}). --port PORT takes another.`),
);
await new Promise((resolve) => server.listen(Number(options.port), '127.0.0.1', resolve));
const origin = `http://localhost:${server.address().port}`;

const website = await openid
  .dynamicClientRegistration(
    new URL(options.issuer),
    {
      client_name: 'Sample relying party',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${origin}/callback`],
      post_logout_redirect_uris: [`${origin}/signed-out`],
      scope: SCOPE,
    },
    openid.ClientSecretBasic(),
    {
      initialAccessToken: options['initial-access-token'],
      // For http on one's own desk.
      execute: options.issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [],
    },
  )
  .catch(async (error) => stop(`Cannot register at ${options.issuer}: ${await reasonOf(error)}`));
process.stdout.write(`Sample relying party ${website.clientMetadata().client_id} on ${origin}\n`);

/** Says why the registration failed, and what to do. */
async function reasonOf({ message, cause, response }) {
  if (cause?.cause?.code === 'ECONNREFUSED' || cause?.code === 'ECONNREFUSED')
    return 'no server answers there. Start it with `npm start`, or name another one with --issuer URL.';
  if (response?.status !== 401) return cause?.error_description ?? cause?.message ?? message;
  const { error_description } = await response.json();
  return `${error_description}
This makes another token, in the folder of \`npm start\`. Start again with --initial-access-token TOKEN:
  npm run -s chancery -- iat create`;
}

function stop(problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

// The cookie is SameSite=Lax: no other site's form brings a session to a POST.
const ROUTES = {
  'GET /': home,
  'GET /login': login,
  'GET /callback': callback,
  'POST /refresh': refresh,
  'POST /logout': logout,
  'GET /signed-out': signedOut,
};
/** Sessions by cookie: pending logins and logouts by their `state`, and the signed-in end-user. */
const sessions = new Map();

async function answer({ method, url, headers }) {
  const address = new URL(url, origin);
  const kept = sessions.get(/(?:^|; )rp=(\w+)/.exec(headers.cookie ?? '')?.[1]) ?? { waiting: new Map() };
  const act = ROUTES[`${method} ${address.pathname}`];
  return act === undefined ? { status: 404, html: '<h1>Not here</h1>' } : await act(kept, address);
}

function home({ claims }) {
  if (claims === undefined) return { html: '<h1>Welcome</h1><a href="/login">Sign in</a>' };
  const button = (act, words) => `<form method="post" action="/${act}"><button>${words}</button></form>`;
  const shown = `<pre>${escaped(JSON.stringify(claims, null, 2))}</pre>`;
  return { html: `<h1>Signed in</h1>${shown}${button('refresh', 'Refresh')}${button('logout', 'Sign out')}` };
}

/** `prompt`, `login_hint` and so on in our own address go on to the server, so that they can be tried. */
async function login(session, { searchParams }) {
  const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  const checks = { pkceCodeVerifier, expectedState, expectedNonce: openid.randomNonce() };
  const address = openid.buildAuthorizationUrl(website, {
    ...Object.fromEntries(searchParams),
    redirect_uri: `${origin}/callback`,
    scope: SCOPE,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: checks.expectedNonce,
  });
  session.waiting.set(expectedState, checks);
  return redirect(address.href, session);
}

async function callback(session, address) {
  const checks = session.waiting.get(address.searchParams.get('state'));
  if (checks === undefined) throw new Error('not a login that began here');
  session.waiting.delete(checks.expectedState);
  return await signedIn(session, await openid.authorizationCodeGrant(website, address, checks));
}

async function refresh(session) {
  return await signedIn(session, await openid.refreshTokenGrant(website, session.tokens.refresh_token));
}

async function signedIn({ waiting }, tokens) {
  const userinfo = await openid.fetchUserInfo(website, tokens.access_token, tokens.claims().sub);
  return redirect('/', { waiting, tokens, claims: { ...tokens.claims(), ...userinfo } });
}

/** Ends the website's session at once. The server's page asks whether its session ends too. */
function logout({ waiting, tokens }) {
  const state = openid.randomState();
  waiting.set(state, 'logout');
  const back = { post_logout_redirect_uri: `${origin}/signed-out`, state };
  const address = openid.buildEndSessionUrl(website, { id_token_hint: tokens.id_token, ...back });
  return redirect(address.href, { waiting });
}

function signedOut({ waiting }, { searchParams }) {
  if (!waiting.delete(searchParams.get('state'))) throw new Error('not a logout that began here');
  return { html: '<h1>Signed out</h1><a href="/">Home</a>' };
}

/** Every sign-in and sign-out gets a new session id. */
function redirect(location, session) {
  const id = randomBytes(16).toString('hex');
  sessions.set(id, session);
  return { status: 303, location, 'set-cookie': `rp=${id}; HttpOnly; SameSite=Lax; Path=/` };
}

function failed({ error, message }) {
  return { status: 400, html: `<h1>That did not work</h1><p id="problem">${escaped(error ?? message)}</p>` };
}

function escaped(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
