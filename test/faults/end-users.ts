import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import {
  accountsBeside,
  answered,
  authorizeUrl,
  CALLBACK,
  call as callAs,
  type Person,
  reached,
  redeem,
  through,
} from '../hostile/sign-in-world.ts';
import { type PlainBrowser, plainBrowser } from '../program/plain-browser.ts';
import type { Program } from '../program/start.ts';
import { assertionOf } from './client-assertion.ts';
import type { Ledger, Registration } from './ledger.ts';
import { bearer, call } from './registry-calls.ts';

/** The state of a thing as its owner knows it. `unknown`: the answer to its last use never came. */
type State<Known extends string> = Known | 'unknown';

export interface ExpectedSession {
  readonly browser: PlainBrowser;
  state: State<'live' | 'ended'>;
  /** From the first ID token of the session. */
  sid: string | undefined;
  idToken: string | undefined;
}

export interface ExpectedCode {
  readonly code: string;
  readonly session: ExpectedSession;
  state: State<'unused' | 'used' | 'used twice'>;
  accessToken: string | undefined;
}

export interface ExpectedOnce {
  readonly value: string;
  state: State<'unused' | 'used'>;
}

export const HOME = 'https://rp.example/signed-out';
/** Nothing listens there: the notification waits, and is looked for. */
const BACK_CHANNEL = 'https://127.0.0.1:9/back';
/** An account may have 25. */
const SESSIONS_MAX = 8;

/** Lifetimes are longer than a run, so that nothing expires. */
export const FOR_END_USERS = {
  CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
  CHANCERY_OUTBOUND_PORTS: 'any',
  CHANCERY_INTERACTION_RATE_PER_NETWORK: '0',
  CHANCERY_ACCESS_TOKEN_LIFETIME: '86400',
  CHANCERY_AUTHORIZATION_CODE_LIFETIME: '600',
  CHANCERY_PUSHED_REQUEST_LIFETIME: '600',
};

/**
 * End-users who sign in, agree, and sign out, and their clients: the record of what the server has acknowledged to them. The
 * record is in memory, since this process is no part of the experiment.
 */
export class EndUsers {
  readonly person: Person = { username: randomUUID(), password: randomBytes(12).toString('hex') };
  readonly sessions: ExpectedSession[] = [];
  readonly codes: ExpectedCode[] = [];
  readonly pushed: ExpectedOnce[] = [];
  readonly assertions: ExpectedOnce[] = [];
  /** The identifiers of server keys that were seen. */
  readonly kids = new Set<string>();
  /** Refusals of what was acknowledged. */
  readonly lost: string[] = [];
  readonly ackedByKind = new Map<string, number>();
  readonly rp: Registration;
  readonly asserting: Registration;
  program: Program;

  private constructor(program: Program, rp: Registration, asserting: Registration) {
    this.program = program;
    this.rp = rp;
    this.asserting = asserting;
  }

  static async open(program: Program, ledger: Ledger, url: string): Promise<EndUsers> {
    const rp = await registered(program, ledger, {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code'],
      scope: `openid ${program.issuer}/token/introspect`,
      post_logout_redirect_uris: [HOME],
      backchannel_logout_uri: BACK_CHANNEL,
    });
    const asserting = await registered(program, ledger, {
      grant_types: ['client_credentials'],
      scope: 'read',
      token_endpoint_auth_method: 'client_secret_jwt',
    });
    const endUsers = new EndUsers(program, rp, asserting);
    const accounts = await accountsBeside(program, url);
    await accounts.add(endUsers.person);
    await accounts.close();
    return endUsers;
  }

  acked(kind: string): void {
    this.ackedByKind.set(kind, (this.ackedByKind.get(kind) ?? 0) + 1);
  }

  /** Returns a new browser, which goes on with the present program when that was started again. */
  browser(): PlainBrowser {
    return plainBrowser(
      this.program.issuer,
      async (url, init) =>
        await fetch(reached(this.program, url), { ...init, signal: AbortSignal.timeout(10_000) }),
    );
  }

  async signIn(): Promise<void> {
    const browser = this.browser();
    const { code } = answered(await through(browser, this.#authorize(), this.person));
    if (code === undefined) {
      this.lost.push('the account cannot sign in');
      return;
    }
    const session: ExpectedSession = { browser, state: 'live', sid: undefined, idToken: undefined };
    this.sessions.push(session);
    this.codes.push({ code, session, state: 'unused', accessToken: undefined });
    this.acked('sign-in');
  }

  /** Asks for a code without a page: the session and the consent that were kept are enough. */
  async authorize(session: ExpectedSession, change: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const page = await session.browser.visit(this.#authorize({ prompt: 'none', ...change }));
    refuseUnknown(page.status);
    const { code } = answered(page);
    if (code === undefined) return false;
    this.codes.push({ code, session, state: 'unused', accessToken: undefined });
    this.acked('code');
    return true;
  }

  /** Returns the status of the answer. */
  async redeem(code: ExpectedCode): Promise<number> {
    const before = code.state;
    code.state = 'unknown';
    const { status, json } = await redeem(this.program, this.rp, code.code);
    refuseUnknown(status);
    code.state = before === 'unused' ? 'used' : 'used twice';
    if (status !== 200) return status;
    code.accessToken = String(json['access_token']);
    code.session.idToken = String(json['id_token']);
    code.session.sid = decodeJwt(code.session.idToken)['sid'] as string;
    this.acked('redeem');
    return status;
  }

  async push(): Promise<void> {
    const query = new URL(this.#authorize({ prompt: 'none' })).searchParams;
    const { status, json } = await callAs(this.program, '/par', this.rp, Object.fromEntries(query));
    refuseUnknown(status);
    if (status !== 201) throw new Error(`a pushed request: ${status} ${JSON.stringify(json)}`);
    this.pushed.push({ value: String(json['request_uri']), state: 'unused' });
    this.acked('push');
  }

  /** Returns whether the server took the pushed request. */
  async usePushed(pushed: ExpectedOnce, session: ExpectedSession): Promise<boolean> {
    pushed.state = 'unknown';
    const query = new URLSearchParams({ client_id: this.rp.client_id, request_uri: pushed.value });
    const page = await session.browser.visit(`${this.program.issuer}/authorize?${query.toString()}`);
    refuseUnknown(page.status);
    pushed.state = 'used';
    return answered(page)['code'] !== undefined;
  }

  async newAssertion(): Promise<void> {
    const now = Math.floor(Date.now() / 1000);
    const assertion: ExpectedOnce = {
      value: assertionOf(this.program, this.asserting, now, 300),
      state: 'unused',
    };
    this.assertions.push(assertion);
    const status = await this.assert(assertion);
    if (status === 200) this.acked('assertion');
    else this.lost.push(`a new assertion gives ${status}`);
  }

  async assert(assertion: ExpectedOnce): Promise<number> {
    assertion.state = 'unknown';
    const { status } = await call(this.program, {
      method: 'POST',
      path: '/token',
      form: {
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: assertion.value,
      },
    });
    refuseUnknown(status);
    assertion.state = 'used';
    return status;
  }

  async logOut(session: ExpectedSession): Promise<void> {
    const { idToken } = session;
    if (idToken === undefined) return;
    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: HOME });
    session.state = 'unknown';
    const asked = await session.browser.open(`${this.program.issuer}/logout?${query.toString()}`);
    refuseUnknown(asked.status);
    const { location, status } = asked.html.includes('<form')
      ? await session.browser.submit(asked, 'logout')
      : asked;
    refuseUnknown(status);
    if (location !== HOME) throw new Error(`a logout: ${status} ${location}`);
    session.state = 'ended';
    this.acked('logout');
  }

  async seeKeys(): Promise<readonly string[]> {
    const { body } = await call(this.program, { method: 'GET', path: '/jwks.json' });
    return (body as { readonly keys: readonly { readonly kid: string }[] }).keys.map(({ kid }) => kid);
  }

  #authorize(change: Readonly<Record<string, string>> = {}): string {
    return authorizeUrl(this.program, this.rp, change);
  }
}

/** Thrown for an answer that leaves open whether the act has happened. */
class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

function refuseUnknown(status: number): void {
  if (status >= 500 || status === 408) throw new UnknownOutcome(String(status));
}

/** Whether an error leaves the outcome open: an answer without one, or a connection that was cut, refused or silent. */
const isOpen = (error: unknown): boolean =>
  error instanceof UnknownOutcome || error instanceof TypeError || error instanceof DOMException;

/** Registers with metadata of its own, and tells the ledger. */
async function registered(program: Program, ledger: Ledger, metadata: object): Promise<Registration> {
  const mark = randomUUID();
  const op = ledger.sent({ kind: 'create', mark });
  const { status, body } = await call(program, {
    method: 'POST',
    path: '/clients',
    authorization: bearer(program.masterToken),
    json: { ...metadata, client_name: mark },
  });
  ledger.acked(op, status, body);
  if (status !== 200) throw new Error(`a client of the end-users: ${status} ${JSON.stringify(body)}`);
  return body as Registration;
}

export interface EndUserLoad {
  /** Lets the step under way end. */
  stop(): Promise<void>;
}

/** Lets end-users act, one step after the other, until it is stopped, whatever happens to the server. */
export function startEndUsers(endUsers: EndUsers): EndUserLoad {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        await step(endUsers);
      } catch (error) {
        if (!isOpen(error)) throw error;
        await sleep(20);
      }
    }
  };
  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const oneOf = <T>(items: readonly T[]): T | undefined => items[randomInt(Math.max(1, items.length))];

async function step(endUsers: EndUsers): Promise<void> {
  const live = endUsers.sessions.filter(({ state }) => state === 'live');
  const session = oneOf(live);
  if (session === undefined || (live.length < SESSIONS_MAX && randomInt(10) === 0))
    return await endUsers.signIn();
  if (live.length >= SESSIONS_MAX)
    return await endUsers.logOut(oneOf(live.filter(({ sid }) => sid)) ?? session);
  switch (randomInt(6)) {
    case 0:
      return await endUsers.newAssertion();
    case 1:
      return await endUsers.push();
    case 2: {
      const pushed = oneOf(endUsers.pushed.filter(({ state }) => state === 'unused'));
      if (pushed === undefined || (await endUsers.usePushed(pushed, session))) return;
      endUsers.lost.push('an unused pushed request is refused');
      return;
    }
    case 3: {
      if (randomInt(2) === 0) await endUsers.logOut(session);
      return;
    }
    case 4: {
      const code = oneOf(
        endUsers.codes.filter(({ state, session: of }) => state === 'unused' && of.state === 'live'),
      );
      if (code === undefined || (await endUsers.redeem(code)) === 200) return;
      endUsers.lost.push('an unused code is refused');
      return;
    }
    default:
      if (!(await endUsers.authorize(session))) endUsers.lost.push('a live session, or its consent, is gone');
  }
}
