import type { Reply, Sent } from '../conformance/http.ts';
import { type Json, makeKey, opened, signed, withSignature } from './keys.ts';
import { now } from './plan.ts';
import { objectIn, type Provider, readConfiguration, type World } from './world.ts';

/** A fault of a provider, made by changing its responses on their way. Absent members change nothing. */
export interface Fault {
  /** Changes the claims of its entity configuration. */
  readonly configuration?: (claims: Json) => Json;
  readonly configurationHeader?: Json;
  /** Changes the claims of a registration statement. */
  readonly statement?: (claims: Json) => Json;
  readonly statementHeader?: Json;
  /** Changes any response. */
  readonly reply?: (reply: Reply, at: Place, sent: Sent) => Reply | Promise<Reply>;
  /** Does something beside a registration request. */
  readonly beside?: (request: Json) => Promise<void>;
}

export type Place =
  | 'configuration'
  | 'registration'
  | 'token'
  | 'signed-keys'
  | 'registration by GET'
  | 'elsewhere';

/** The key of a provider that signs what was changed. It is published beside the provider's own keys. */
const KEY = makeKey('double', 'RS256');
const TYPES = {
  final: 'application/explicit-registration-response+jwt',
  interface: 'application/jose;charset=UTF-8',
};

/** Returns the world as it would be with a provider that has this fault. */
export async function faulty(world: World, fault: Fault): Promise<World> {
  const provider: Provider = {
    ...world.provider,
    send: async (url, sent = {}) => await send(world, fault, url, sent),
  };
  return { ...world, provider, configuration: await readConfiguration(provider) };
}

async function send(world: World, fault: Fault, url: string, sent: Sent): Promise<Reply> {
  const at = placeOf(world, url, sent);
  if (at === 'registration') await fault.beside?.(opened(sent.text ?? '')?.claims ?? {});
  const reply = await world.provider.send(url, sent);
  const changed = await resigned(fault, at, reply);
  return (await fault.reply?.(changed, at, sent)) ?? changed;
}

function placeOf({ configuration: { metadata } }: World, url: string, { method, form }: Sent): Place {
  if (url.endsWith('/.well-known/openid-federation')) return 'configuration';
  if (url === metadata['federation_registration_endpoint'])
    return method === 'POST' ? 'registration' : 'registration by GET';
  if (form !== undefined) return 'token';
  return url === metadata['signed_jwks_uri'] ? 'signed-keys' : 'elsewhere';
}

async function resigned(fault: Fault, at: Place, reply: Reply): Promise<Reply> {
  const jwt = opened(reply.text);
  if (jwt === undefined) return reply;
  const own = { kid: KEY.kid, alg: KEY.alg };
  if (at === 'configuration') {
    const keys = [...(objectIn(jwt.claims, 'jwks')['keys'] as Json[]), KEY.jwk];
    const claims = { ...jwt.claims, jwks: { keys } };
    const header = { ...jwt.header, ...own, ...fault.configurationHeader };
    return { ...reply, text: await signed(KEY, header, { ...claims, ...fault.configuration?.(claims) }) };
  }
  if (at !== 'registration' || (fault.statement === undefined && fault.statementHeader === undefined))
    return reply;
  const header = { ...jwt.header, ...own, ...fault.statementHeader };
  return { ...reply, text: await signed(KEY, header, { ...jwt.claims, ...fault.statement?.(jwt.claims) }) };
}

/** Registers everything: each refusal becomes an acceptance. */
export const ACCEPTS: Fault = {
  reply: async (reply, at, sent) =>
    at === 'registration' && reply.status !== 200 ? await acceptance(reply, sent) : reply,
};

async function acceptance(reply: Reply, { headers, text = '' }: Sent): Promise<Reply> {
  const type = headers?.['content-type'] === 'application/jose' ? TYPES.interface : TYPES.final;
  const { iss } = opened(text)?.claims ?? {};
  const claims = {
    iss: 'the provider',
    sub: iss,
    aud: iss,
    iat: now(),
    exp: now() + 60,
    metadata: { openid_relying_party: { client_id: 'taken' } },
  };
  const jwt = await signed(KEY, { kid: KEY.kid }, claims);
  return { ...reply, status: 200, headers: { 'content-type': type }, text: jwt };
}

/** Registers nothing. */
export const REFUSES: Fault = { reply: (reply, at) => (at === 'registration' ? refusal(reply) : reply) };

export function refusal(reply: Reply, status = 400, error = 'invalid_request'): Reply {
  return {
    ...reply,
    status,
    headers: { 'content-type': 'application/json' },
    text: JSON.stringify({ error, error_description: 'a fault' }),
  };
}

/** Changes the responses of one place. */
export function at(place: Place, change: (reply: Reply) => Reply): Fault {
  return { reply: (reply, where) => (where === place ? change(reply) : reply) };
}

/** Changes the registered metadata; a change to undefined removes a member. */
export function registered(change: (metadata: Json) => Json): Fault {
  return {
    statement: (claims) => {
      const metadata = objectIn(claims, 'metadata');
      const party = objectIn(metadata, 'openid_relying_party');
      return { metadata: { ...metadata, openid_relying_party: { ...party, ...change(party) } } };
    },
  };
}

/** Returns the reply with a signature that no key made. */
export function unsigned(reply: Reply): Reply {
  const { header, claims } = opened(reply.text) ?? { header: {}, claims: {} };
  return { ...reply, text: withSignature(header, claims, 'A'.repeat(342)) };
}
