import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endedWithTests } from '../program/children.ts';
import { certificateAuthority } from '../tls/certificate.ts';
import { callHttps } from '../tls/https-call.ts';

const FILES = join(import.meta.dirname, '../../deploy/proxies');
/** The proxies vouch for this name. It leads to the loopback interface. */
export const NAME = 'localhost';
export const AUTHORITY = certificateAuthority('Authority of proxies');

const START_TIMEOUT_MS = 20_000;

/** A proxy whose configuration is in `deploy/proxies`. */
export interface ProxyKind {
  readonly name: string;
  /** The program, and the package of Debian that has it. */
  readonly program: string;
  readonly package: string;
  readonly file: string;
  /** Texts of the file that a test cannot use, and what stands there instead. Each must stand in the file. */
  changes(place: Place): readonly (readonly [from: string, to: string])[];
  /** The command line. The configuration is at `file`. */
  words(place: Place & { readonly file: string }): readonly string[];
  /** The file that the program reads, with the changed configuration in it. */
  whole(configuration: string, place: Place): string;
}

export interface Place {
  readonly folder: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly serverPort: number;
}

export const PROXIES: readonly ProxyKind[] = [
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    package: 'nginx-light',
    file: 'nginx.conf',
    changes: ({ folder, httpPort, httpsPort, serverPort }) => [
      ['server 127.0.0.1:8080;', `server 127.0.0.1:${serverPort};`],
      ['listen 80;', `listen 127.0.0.1:${httpPort};`],
      ['listen 443 ssl;', `listen 127.0.0.1:${httpsPort} ssl;`],
      ['/var/log/nginx/chancery.log', `${folder}/access.log`],
    ],
    words: ({ folder, file }) => ['-p', folder, '-c', file],
    whole: (configuration, { folder }) =>
      `daemon off; pid ${folder}/pid; error_log stderr warn; events {}\nhttp {\n${['client_body', 'proxy', 'fastcgi', 'scgi', 'uwsgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};\n`).join('')}${configuration}\n}\n`,
  },
  {
    name: 'Caddy',
    program: '/usr/bin/caddy',
    package: 'caddy',
    file: 'Caddyfile',
    changes: ({ serverPort }) => [['127.0.0.1:8080', `127.0.0.1:${serverPort}`]],
    words: ({ file }) => ['run', '--config', file, '--adapter', 'caddyfile'],
    whole: (configuration, { httpPort, httpsPort }) =>
      `{\nadmin off\nhttp_port ${httpPort}\nhttps_port ${httpsPort}\ndefault_bind 127.0.0.1\n}\n${configuration}`,
  },
];

export interface RunningProxy {
  output(): string;
  stop(): Promise<void>;
}

/** Starts the proxy with its file of `deploy/proxies`, and waits until it answers over TLS. */
export async function startProxy(kind: ProxyKind, ports: Omit<Place, 'folder'>): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-proxy-'));
  const place = { ...ports, folder };
  const { cert, key } = AUTHORITY.issue({ names: [NAME] });
  writeFileSync(join(folder, 'fullchain.pem'), cert);
  writeFileSync(join(folder, 'privkey.pem'), key, { mode: 0o600 });
  const file = join(folder, kind.file);
  writeFileSync(file, kind.whole(changed(kind, place), place));
  const child = endedWithTests(
    spawn(kind.program, kind.words({ ...place, file }), {
      env: { HOME: folder, PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  child.once('error', (error) => {
    output += error.message;
  });
  const isOver = (): boolean =>
    child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  await untilAnswers(ports.httpsPort, isOver, () => output);
  return {
    output: () => output,
    async stop() {
      if (!isOver()) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function changed(kind: ProxyKind, place: Place): string {
  let text = readFileSync(join(FILES, kind.file), 'utf8');
  const certificates = [
    ['op.example.com', NAME],
    ['/etc/ssl/chancery/fullchain.pem', `${place.folder}/fullchain.pem`],
    ['/etc/ssl/chancery/privkey.pem', `${place.folder}/privkey.pem`],
  ] as const;
  for (const [from, to] of [...certificates, ...kind.changes(place)]) {
    if (!text.includes(from)) throw new Error(`deploy/proxies/${kind.file} lacks ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

async function untilAnswers(port: number, isOver: () => boolean, output: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !isOver()) {
    const answer = await callHttps({ port, ca: AUTHORITY.certificate, servername: NAME, path: '/' }).catch(
      () => undefined,
    );
    if (answer !== undefined) return;
    await sleep(50);
  }
  throw new Error(`the proxy does not answer:\n${output()}`);
}
