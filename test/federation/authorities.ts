import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { signedJwt, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { listeningPort } from '../../src/testing/listening-port.ts';

const LIFETIME = 3600;
const TYPE = 'application/entity-statement+jwt';

/** Sends the response of an authority at one path. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Entities of a federation on one loopback port, each below its own path. A script decides their responses. */
export interface Authorities {
  readonly base: string;
  /** The requested paths, in order. */
  readonly asked: readonly string[];
  /** @param generation of its federation key; a higher one is the entity after it rolled its key */
  entity(name: string, generation?: number): Entity;
  /** Sets the response of a path for all later requests. */
  answer(path: string, answer: Answer | string): void;
  close(): Promise<void>;
}

export interface Entity {
  readonly name: string;
  readonly id: string;
  readonly key: TestKey;
  /** Publishes its configuration. */
  publish(superiors: readonly Entity[], claims?: object): void;
  /** Publishes its statement about another entity. */
  vouch(subject: Entity, claims?: object): void;
  /** Returns a request for explicit registration (OpenID Federation 1.0 §12.2.1), each another one. */
  request(audience: string, superiors: readonly Entity[], claims?: object): string;
}

export async function startAuthorities(): Promise<Authorities> {
  const answers = new Map<string, Answer | string>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://loopback');
    const path = url.pathname + url.search;
    asked.push(path);
    const answer = answers.get(path);
    if (answer === undefined) response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    else if (typeof answer === 'string') response.writeHead(200, { 'content-type': TYPE }).end(answer);
    else answer(response, request);
  }).listen(0, '127.0.0.1');
  const base = `http://127.0.0.1:${await listeningPort(server)}`;
  return {
    base,
    asked,
    entity: (name, generation = 1) => entityAt(base, `${name}-${generation}`, name, answers),
    answer: (path, answer) => answers.set(path, answer),
    close: async () => await closed(server),
  };
}

function entityAt(base: string, kid: string, name: string, answers: Map<string, Answer | string>): Entity {
  const id = `${base}/${name}`;
  const key = testKey('ES256', kid);
  const statement = (claims: object): string => {
    const now = Math.floor(Date.now() / 1000);
    return signedJwt(
      key,
      { iss: id, iat: now, exp: now + LIFETIME, ...claims },
      { typ: 'entity-statement+jwt' },
    );
  };
  return {
    name,
    id,
    key,
    publish(superiors, claims = {}) {
      const hints = superiors.map((superior) => superior.id);
      const own = {
        sub: id,
        jwks: { keys: [key.jwk] },
        ...(hints.length === 0 ? {} : { authority_hints: hints }),
        metadata: { federation_entity: { federation_fetch_endpoint: `${id}/fetch` } },
        ...claims,
      };
      answers.set(`/${name}/.well-known/openid-federation`, statement(own));
    },
    vouch(subject, claims = {}) {
      const about = { sub: subject.id, jwks: { keys: [subject.key.jwk] }, ...claims };
      answers.set(`/${name}/fetch?sub=${encodeURIComponent(subject.id)}`, statement(about));
    },
    request(aud, superiors, claims = {}) {
      const authority_hints = superiors.map((superior) => superior.id);
      return statement({
        sub: id,
        aud,
        jti: randomUUID(),
        jwks: { keys: [key.jwk] },
        authority_hints,
        ...claims,
      });
    },
  };
}

async function closed(server: Server): Promise<void> {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}
