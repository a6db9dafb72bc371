// An MCP client with the SDK, as its documentation shows one: sdk-client.mjs ACT… with acts such as `tools` or `call add_note ink`.
// It prints one JSON object per line, and keeps what the SDK gives it to keep in the file STORE.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { SDK, MCP_URL, STORE, CALLBACK_PORT, CLIENT_METADATA, CLIENT_METADATA_URL, CREDENTIALS } = process.env;
const acts = process.argv.slice(2);

const {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  ClientCredentialsProvider,
  PrivateKeyJwtProvider,
} = SDK === '2' ? await import('@modelcontextprotocol/client') : await firstSdk();

async function firstSdk() {
  return {
    ...(await import('@modelcontextprotocol/sdk/client/index.js')),
    ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    ...(await import('@modelcontextprotocol/sdk/client/auth.js')),
    ...(await import('@modelcontextprotocol/sdk/client/auth-extensions.js')),
  };
}

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const kept = existsSync(STORE) ? JSON.parse(readFileSync(STORE, 'utf8')) : {};
const keep = (members) => writeFileSync(STORE, JSON.stringify(Object.assign(kept, members)));

/** The address of the browser's way back, with its parameters. */
let { promise: calledBack, resolve: callBack } = Promise.withResolvers();
const callback = createServer((request, response) => {
  response.end('You may close this window.');
  callBack(new URL(request.url, 'http://127.0.0.1'));
});

const person = {
  redirectUrl: `http://127.0.0.1:${CALLBACK_PORT}/callback`,
  clientMetadata: {
    client_name: 'SDK journey',
    redirect_uris: [`http://127.0.0.1:${CALLBACK_PORT}/callback`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...JSON.parse(CLIENT_METADATA ?? '{}'),
  },
  ...(CLIENT_METADATA_URL === undefined ? {} : { clientMetadataUrl: CLIENT_METADATA_URL }),
  state: () => 'a-state-of-the-client',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => keep({ client }),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => keep({ tokens }),
  saveCodeVerifier: (verifier) => keep({ verifier }),
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: (url) => print({ authorise: url.href }),
  saveDiscoveryState: (discovery) => keep({ discovery }),
  discoveryState: () => kept.discovery,
  invalidateCredentials(which) {
    print({ invalidated: which });
    const members = {
      client: ['client'],
      tokens: ['tokens'],
      verifier: ['verifier'],
      discovery: ['discovery'],
    };
    for (const member of members[which] ?? ['client', 'tokens', 'verifier']) keep({ [member]: undefined });
  },
};

/** A program without a person: it has credentials. */
function machine({ clientId, clientSecret, privateKey, algorithm, scope, expectedIssuer }) {
  const known = { clientId, scope, expectedIssuer };
  return privateKey === undefined
    ? new ClientCredentialsProvider({ ...known, clientSecret })
    : new PrivateKeyJwtProvider({ ...known, privateKey, algorithm });
}

const authProvider = CREDENTIALS === undefined ? person : machine(JSON.parse(CREDENTIALS));
let transport;
let client;

async function connect() {
  transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { authProvider });
  client = new Client({ name: 'journey', version: '1.0.0' });
  await client.connect(transport);
}

/** Waits for the person, redeems the code, and connects again. */
async function authorise() {
  const { searchParams } = await calledBack;
  const problem = searchParams.get('error');
  if (problem !== null) throw new Error(`${problem}: ${searchParams.get('error_description')}`);
  await transport.finishAuth(SDK === '2' ? searchParams : searchParams.get('code'));
  ({ promise: calledBack, resolve: callBack } = Promise.withResolvers());
  await connect();
}

/** Does something, and does it again if the SDK has sent the person to the authorisation server first. */
async function withPerson(doing) {
  try {
    return await doing();
  } catch (failure) {
    if (!(failure instanceof UnauthorizedError)) throw failure;
    await authorise();
    return doing === connect ? undefined : await doing();
  }
}

async function act([verb, ...words]) {
  if (verb === 'tools') print({ tools: (await client.listTools()).tools.map(({ name }) => name) });
  if (verb === 'call') {
    const [name, text] = words;
    const { content, isError } = await client.callTool({
      name,
      arguments: text === undefined ? {} : { text },
    });
    print({ called: name, text: content.map((part) => part.text).join('\n'), isError });
  }
  // As if its lifetime were over: the MCP server refuses it, and the SDK gets a new one.
  if (verb === 'lose-access-token') keep({ tokens: { ...kept.tokens, access_token: 'lost' } });
}

await new Promise((resolve) => callback.listen(Number(CALLBACK_PORT), '127.0.0.1', resolve));
try {
  await withPerson(connect);
  for (const words of acts) await withPerson(() => act(words.split(' ')));
  await client.close();
} catch (failure) {
  print({
    failed: failure.constructor.name,
    code: failure.errorCode ?? failure.code,
    message: failure.message,
  });
  process.exitCode = 1;
}
callback.close();
callback.closeAllConnections();
