import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { VERIFIER } from '../program/code-request.ts';
import type { Program } from '../program/start.ts';

/** A request that a relying party received at its front-channel logout address. */
export interface FrameRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly cookies: string;
  readonly destination: string;
  readonly referrer: string | undefined;
}

/** The conduct of the page in the frame. `hang`: the relying party answers when `release` is called. */
export type Behaviour = 'well' | 'hang' | 'navigate' | 'open';

/** A relying party at `http://localhost:…`, another site than the server at 127.0.0.1. */
export interface FrameClient {
  readonly origin: string;
  readonly client_id: string;
  readonly frames: readonly FrameRequest[];
  /** Requests to pages that no test visits, such as the target of a frame that navigates. */
  readonly strays: readonly string[];
  behave(behaviour: Behaviour): void;
  release(): void;
  /** Redeems the code of the last sign-in. */
  readonly idToken: () => Promise<string>;
  close(): Promise<void>;
}

const SCRIPTS: Readonly<Record<Behaviour, string>> = {
  well: 'document.title = "out"',
  hang: '',
  navigate: 'top.location.href = "/stray"',
  open: 'window.open("/stray"); alert("stray")',
};

/** Starts a relying party and registers it. @param path of its front-channel logout address, with its query */
export async function startFrameClient(program: Program, path = '/out'): Promise<FrameClient> {
  const frames: FrameRequest[] = [];
  const strays: string[] = [];
  let behaviour: Behaviour = 'well';
  let code = '';
  const held = Promise.withResolvers<void>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { cookie = '', referer, 'sec-fetch-dest': destination = '' } = request.headers;
    if (pathname === '/favicon.ico') return void response.writeHead(204).end();
    if (pathname === '/cb') code = searchParams.get('code') ?? '';
    else if (pathname === '/out') {
      const parameters = Object.fromEntries(searchParams);
      frames.push({ parameters, cookies: cookie, destination: destination, referrer: referer });
      if (behaviour === 'hang') await held.promise;
    } else if (pathname !== '/signed-out') strays.push(pathname);
    const headers = { 'content-type': 'text/html', 'set-cookie': COOKIES };
    const script = pathname === '/out' ? `<script>${SCRIPTS[behaviour]}</script>` : '';
    response.writeHead(200, headers).end(`<!doctype html><h1>${pathname}</h1>${script}`);
  };
  const server = createServer((request, response) => void answer(request, response)).listen(0, 'localhost');
  const origin = `http://localhost:${await listeningPort(server)}`;
  const registered = await register(program, origin, path);
  return {
    origin,
    client_id: registered.client_id,
    frames,
    strays,
    behave(next) {
      behaviour = next;
    },
    release: () => held.resolve(),
    idToken: async () => await redeemed(program, registered, `${origin}/cb`, code),
    async close() {
      held.resolve();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const COOKIES = [
  'lax=1; SameSite=Lax',
  'none=1; SameSite=None; Secure',
  'partitioned=1; SameSite=None; Secure; Partitioned; Path=/',
];

interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

async function register(program: Program, origin: string, path: string): Promise<Registered> {
  const answer = await fetch(`${program.issuer}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'A client with frames',
      redirect_uris: [`${origin}/cb`],
      post_logout_redirect_uris: [`${origin}/signed-out`],
      frontchannel_logout_uri: `${origin}${path}`,
      frontchannel_logout_session_required: true,
    }),
  });
  const text = await answer.text();
  assert.equal(answer.status, 201, text);
  return JSON.parse(text) as Registered;
}

async function redeemed(
  program: Program,
  { client_id, client_secret }: Registered,
  redirect_uri: string,
  code: string,
): Promise<string> {
  const credentials = Buffer.from(`${client_id}:${client_secret}`).toString('base64');
  const answer = await fetch(`${program.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: VERIFIER,
    }),
  });
  const { id_token } = (await answer.json()) as { readonly id_token?: string };
  return id_token ?? assert.fail(`no ID token: ${answer.status}`);
}
