import { setTimeout as sleep } from 'node:timers/promises';
import { header as headerOf, objectOf, type Reply, type Send } from '../conformance/http.ts';
import type { EntityHost } from './authorities.ts';
import { isSignedBy, type Json, makeKey, type OpenedJwt, opened } from './keys.ts';
import { draft, type Entity, levelsOf, newEntity, type Plan, publish, signedDraft } from './plan.ts';

/** `final` is OpenID Federation 1.0; `interface` is the dialect of `application/jose`, which drafts before 2022 had. */
export type Dialect = 'final' | 'interface';

const CONTENT_TYPES: Readonly<Record<Dialect, string>> = {
  final: 'application/entity-statement+jwt',
  interface: 'application/jose',
};

/** The provider under test, as its relying parties reach it. */
export interface Provider {
  readonly issuer: string;
  readonly send: Send;
}

/** The trust anchors that the provider is configured with. */
export interface Anchors {
  readonly first: Entity;
  readonly second: Entity;
}

/** The entity configuration of the provider, as the suite read it at the beginning. */
export interface ProviderConfiguration extends OpenedJwt {
  readonly reply: Reply;
  readonly jwt: string;
  readonly keys: readonly Json[];
  /** The metadata under `openid_provider`. */
  readonly metadata: Json;
}

export interface World {
  readonly host: EntityHost;
  readonly provider: Provider;
  readonly anchors: Anchors;
  readonly configuration: ProviderConfiguration;
  /** Whether the provider may use plain http. */
  readonly allowHttp: boolean;
}

/** The answer to a registration request. */
export interface Answer {
  readonly reply: Reply;
  /** The registration statement; undefined if the request was refused. */
  readonly statement: OpenedJwt | undefined;
  /** Whether a published federation key of the provider signed it. */
  readonly isSigned: boolean;
  /** The registered metadata of the relying party. */
  readonly registered: Json;
  readonly error: Json;
}

export const member = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null ? (object as Json)[name] : undefined;

export const objectIn = (object: unknown, name: string): Json => {
  const value = member(object, name);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
};

/** Reads the entity configuration of the provider. */
export async function readConfiguration({ issuer, send }: Provider): Promise<ProviderConfiguration> {
  const reply = await send(`${issuer.replace(/\/$/, '')}/.well-known/openid-federation`);
  const { header, claims } = opened(reply.text) ?? { header: {}, claims: {} };
  const keys = member(claims['jwks'], 'keys');
  return {
    reply,
    jwt: reply.text,
    header,
    claims,
    keys: Array.isArray(keys) ? (keys as readonly Json[]) : [],
    metadata: objectIn(claims['metadata'], 'openid_provider'),
  };
}

/** The metadata of a relying party that every provider of OpenID Connect can register. */
export const REDIRECT_URI = 'https://rp.example/callback';

export interface PlanOptions {
  /** How many intermediates are between the relying party and the anchor. */
  readonly intermediates?: number;
  readonly anchor?: Entity;
  /** The algorithm of the relying party's federation key. */
  readonly alg?: string;
  readonly metadata?: Json;
}

/** Plans a relying party that a provider accepts. Nothing is published yet. */
export function planOf(
  { host, anchors, provider }: World,
  dialect: Dialect,
  { intermediates = 0, anchor = anchors.first, alg = 'ES256', metadata = {} }: PlanOptions = {},
): Plan {
  const key = makeKey(`rp-${alg}`, alg);
  const rp = newEntity(host, 'rp', key);
  const clientKey = makeKey('client');
  const between = Array.from({ length: intermediates }, () => newEntity(host, 'int'));
  const relyingParty: Json = {
    redirect_uris: [REDIRECT_URI],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    client_registration_types: ['explicit'],
    token_endpoint_auth_method: 'private_key_jwt',
    client_name: 'Conformance',
    jwks: { keys: [clientKey.jwk] },
    ...metadata,
  };
  const claims = {
    sub: rp.id,
    aud: provider.issuer,
    jwks: { keys: [key.jwk] },
    authority_hints: [(between[0] ?? anchor).id],
    metadata: { openid_relying_party: relyingParty },
  };
  return {
    rp,
    clientKey,
    levels: levelsOf(rp, [...between, anchor]),
    request: {
      ...draft(rp, claims),
      contentType: CONTENT_TYPES[dialect],
      body: (jwt) => jwt,
    },
    metadata: relyingParty,
  };
}

/** Publishes what is above the relying party. */
export async function publishPlan({ host, anchors }: World, { rp, levels }: Plan): Promise<void> {
  for (const [at, level] of levels.entries()) {
    const isAnchor = level.entity === anchors.first || level.entity === anchors.second;
    await publish(host, level, levels[at - 1]?.entity.id ?? rp.id, isAnchor);
  }
}

const BUSY_ATTEMPTS = 20;

/** Sends the request of a plan. A provider that is busy is asked again. */
export async function register(world: World, plan: Plan, jwt?: string): Promise<Answer> {
  const body = await plan.request.body(jwt ?? (await signedDraft(plan.request)));
  let answer = await post(world, plan, body);
  for (let attempt = 1; attempt < BUSY_ATTEMPTS && isBusy(answer); attempt += 1) {
    await sleep(Math.min(Number(headerOf(answer.reply, 'retry-after')) || 1, 5) * 1000);
    answer = await post(world, plan, body);
  }
  return answer;
}

/** 429 is a provider that has too much to do now. */
const isBusy = ({ reply: { status } }: Answer): boolean => status === 429;

async function post(
  { provider, configuration }: World,
  { request: { contentType } }: Plan,
  text: string,
): Promise<Answer> {
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
  const endpoint = String(configuration.metadata['federation_registration_endpoint']);
  const reply = await provider.send(endpoint, { method: 'POST', headers, text });
  const statement = reply.status === 200 ? opened(reply.text) : undefined;
  return {
    reply,
    statement,
    isSigned: statement !== undefined && (await isSignedBy(reply.text, configuration.keys)),
    registered: objectIn(member(statement?.claims, 'metadata'), 'openid_relying_party'),
    error: objectOf(reply),
  };
}
