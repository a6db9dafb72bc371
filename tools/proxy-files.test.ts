import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { testSettings } from '../src/testing/settings.ts';

const FILES = join(import.meta.dirname, '../deploy/proxies');

/** Headers that the server believes if a trusted proxy sends them (docs/operate/tls-and-proxies.md). */
const BELIEVED = ['Client-Cert', 'Client-Cert-Chain', 'Issuer', 'Tenant-ID'];

/** How each proxy removes a header, and how it sets the time after which it closes an idle connection to the server. */
const FORMS = {
  'nginx.conf': {
    removes: (header: string) => `proxy_set_header ${header} "";`,
    idle: /^ {4}keepalive_timeout (\d+)s;$/mu,
  },
  Caddyfile: {
    removes: (header: string) => `header_up -${header}\n`,
    idle: /^\t+keepalive (\d+)s$/mu,
  },
  'traefik-chancery.yaml': {
    removes: (header: string) => `${header}: ""\n`,
    idle: /^ +idleConnTimeout: (\d+)s$/mu,
  },
} as const;

const textOf = (file: string): string => readFileSync(join(FILES, file), 'utf8');

for (const [file, { removes, idle }] of Object.entries(FORMS)) {
  test(`deploy/proxies/${file} removes the headers that the server believes of a proxy`, () => {
    for (const header of BELIEVED) assert.ok(textOf(file).includes(removes(header)), header);
  });

  test(`deploy/proxies/${file} closes idle connections before the server does`, () => {
    const seconds = Number(idle.exec(textOf(file))?.[1]);
    const ofServer = testSettings()['listen.keep-alive-timeout'];
    assert.ok(seconds > 0 && seconds < ofServer, `${seconds} and ${ofServer}`);
  });
}

test('deploy/proxies/traefik.yaml trusts no X-Forwarded-For from outside, and names the other file', () => {
  const { entryPoints, providers } = parse(textOf('traefik.yaml')) as {
    entryPoints: Readonly<Record<string, object>>;
    providers: { file: { filename: string } };
  };
  for (const [name, entryPoint] of Object.entries(entryPoints))
    assert.ok(!('forwardedHeaders' in entryPoint), name);
  assert.ok(providers.file.filename.endsWith('/traefik-chancery.yaml'));
});

test('deploy/proxies/traefik-chancery.yaml names only routers, services and transports that it has', () => {
  const { http } = parse(textOf('traefik-chancery.yaml')) as {
    http: {
      routers: { chancery: { service: string; middlewares: string[] } };
      services: Readonly<Record<string, { loadBalancer: { serversTransport: string } }>>;
      middlewares: object;
      serversTransports: object;
    };
  };
  const { service, middlewares } = http.routers.chancery;
  for (const name of middlewares) assert.ok(name in http.middlewares, name);
  assert.ok((http.services[service]?.loadBalancer.serversTransport ?? '') in http.serversTransports);
});
