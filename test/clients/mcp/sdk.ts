import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endedWithTests } from '../../program/children.ts';
import { freePort } from '../../program/free-port.ts';
import { inheritedEnvironment } from '../../program/inherited-environment.ts';
import type { Page, Visitor } from '../visitor.ts';

const PROGRAM = join(import.meta.dirname, 'sdk-client.mjs');
const TIMEOUT_MS = 60_000;

/** One line that the client prints. */
export interface Line {
  /** The address that the person shall visit. */
  readonly authorise?: string;
  readonly tools?: readonly string[];
  readonly called?: string;
  readonly text?: string;
  readonly invalidated?: string;
  readonly failed?: string;
  readonly code?: string;
  readonly message?: string;
}

export interface SdkClient {
  /** The major version: `@modelcontextprotocol/sdk` is 1, `@modelcontextprotocol/client` is 2. */
  readonly sdk: '1' | '2';
  /** The MCP server. */
  readonly url: string;
  /** A file for what the SDK wants to keep. */
  readonly store: string;
  readonly person: Visitor;
  /** Further members of its registration. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly metadataUrl?: string;
  /** For a program without a person. */
  readonly credentials?: Readonly<Record<string, unknown>>;
  /** The port of its redirect URI; a free one, if undefined. */
  readonly port?: number;
}

/** The part of a client's file that tests read. */
export interface Kept {
  readonly client?: {
    readonly client_id: string;
    readonly scope?: string;
    readonly [member: string]: unknown;
  };
  readonly tokens?: {
    readonly access_token: string;
    readonly refresh_token?: string;
    readonly scope?: string;
    readonly [member: string]: unknown;
  };
}

/** Returns what the client keeps in its file. */
export function keptBy({ store }: SdkClient): Kept {
  return existsSync(store) ? (JSON.parse(readFileSync(store, 'utf8')) as Kept) : {};
}

export interface Run {
  readonly lines: readonly Line[];
  /** The last page of each visit to the authorisation endpoint. */
  readonly pages: readonly Page[];
}

/** Runs the client to its end. The person signs in and allows wherever the client asks. */
export async function runSdkClient(client: SdkClient, ...acts: readonly string[]): Promise<Run> {
  const { sdk, url, store, person, metadata, metadataUrl, credentials } = client;
  const child = endedWithTests(
    spawn(process.execPath, [PROGRAM, ...acts], {
      env: {
        ...inheritedEnvironment(),
        SDK: sdk,
        MCP_URL: url,
        STORE: store,
        CALLBACK_PORT: String(client.port ?? (await freePort())),
        ...(metadata === undefined ? {} : { CLIENT_METADATA: JSON.stringify(metadata) }),
        ...(metadataUrl === undefined ? {} : { CLIENT_METADATA_URL: metadataUrl }),
        ...(credentials === undefined ? {} : { CREDENTIALS: JSON.stringify(credentials) }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    }),
  );
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints += chunk;
  });
  const closed = once(child, 'close');
  const lines: Line[] = [];
  const visits: Promise<Page>[] = [];
  for await (const text of createInterface(child.stdout)) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line.authorise === undefined) continue;
    const visit = person.go(line.authorise);
    visits.push(visit);
    // A person on a page of the server would close the window: the client waits for nothing then.
    void visit.then((page) => isBack(page) || child.kill('SIGKILL')).catch(() => child.kill('SIGKILL'));
  }
  const [code] = (await closed) as [number | null];
  if (code === null || (code !== 0 && lines.every(({ failed }) => failed === undefined))) {
    const pages = await Promise.all(visits);
    const seen = pages.map((page) => `${page.status} ${page.url}\n${page.text}`);
    throw new Error(
      `the client ended with ${code}\n${JSON.stringify(lines)}\n${complaints}\n${seen.join('\n')}`,
    );
  }
  return { lines, pages: await Promise.all(visits) };
}

const isBack = ({ url }: Page): boolean => new URL(url).pathname === '/callback';
