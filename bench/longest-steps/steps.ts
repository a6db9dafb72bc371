import { segment } from '../../src/testing/jwt.ts';
import { formText } from '../../test/program/code-request.ts';
import type { World } from './world.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the program with an external sign-in page is asked. */
  readonly external?: true;
}

/** Input at the limits, for one endpoint. */
export interface HostileStep {
  /** As in discovery: method and path below the issuer. */
  readonly endpoint: string;
  readonly what: string;
  /** Shows that the input came as far as it should. */
  readonly status: number;
  request(world: World): Sent | Promise<Sent>;
}

/** `limits.body`, less what stands around the text. */
export const FULL = 65_000;
export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
export const JSON_TYPE = { 'content-type': 'application/json' };

export const basic = ({
  client_id,
  client_secret,
}: {
  client_id: string;
  client_secret: string;
}): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
});

export const now = (): number => Math.floor(Date.now() / 1000);

export const MARKS = 'q' + '\u0327\u0301'.repeat(480);

export const registration = (
  what: string,
  status: number,
  body: (world: World) => object | string,
): HostileStep => ({
  endpoint: 'POST /clients',
  what,
  status,
  request: (world) => {
    const made = body(world);
    const text = typeof made === 'string' ? made : JSON.stringify(made);
    const headers = { ...JSON_TYPE, authorization: `Bearer ${world.program.masterToken}` };
    return { method: 'POST', path: '/clients', headers, body: text };
  },
});

export const form = (
  endpoint: string,
  what: string,
  status: number,
  fields: (world: World) => Readonly<Record<string, string>> | string,
  headers: (world: World) => Readonly<Record<string, string>> = () => ({}),
): HostileStep => ({
  endpoint,
  what,
  status,
  request: (world) => {
    const made = fields(world);
    const [method = '', path = ''] = endpoint.split(' ');
    const body = typeof made === 'string' ? made : formText(made);
    return { method, path, headers: { ...FORM, ...headers(world) }, body };
  },
});

export const asWide = ({ wide }: World): Readonly<Record<string, string>> => basic(wide);

export const get = (
  path: string,
  what: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): HostileStep => ({
  endpoint: `GET ${path}`,
  what,
  status,
  request: () => ({ method: 'GET', path, headers }),
});

/** Headers at `limits.header`, of the kinds that the server reads. */
export const LONG_HEADERS = {
  cookie: 'a=b; '.repeat(1_000),
  'accept-language': Array.from({ length: 800 }, (_, index) => `l${index.toString(36)}`).join(),
  accept: 'text/x;q=0.1,'.repeat(200),
};

/** A JWT that no key of ours has signed. */
export const forged = (size: number): string =>
  `${segment('{"alg":"RS256","typ":"JWT"}')}.${segment(JSON.stringify({ aud: 'x', x: 'x'.repeat(size) }))}.${Buffer.alloc(256, 1).toString('base64url')}`;

/** A JWE that no key of ours opens. */
export const encryptedLike = (parts: number): string =>
  [
    segment('{"alg":"RSA-OAEP-256","enc":"A256GCM"}'),
    Buffer.alloc(256, 1).toString('base64url'),
    'AAAA',
    'A'.repeat(parts),
    'AAAA',
  ].join('.');
