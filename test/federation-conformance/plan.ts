import { randomBytes } from 'node:crypto';
import type { Document, EntityHost } from './authorities.ts';
import { type Json, makeKey, type SigningKey, signed } from './keys.ts';

/** An entity of the federation: its identifier, and the key that signs its statements. */
export interface Entity {
  readonly id: string;
  readonly path: string;
  readonly key: SigningKey;
}

export const LIFETIME_S = 3600;
const STATEMENT = 'entity-statement+jwt';

export const now = (): number => Math.floor(Date.now() / 1000);

/** A statement that a condition may change before it is signed. */
export interface Draft {
  claims: Json;
  header: Json;
  key: SigningKey;
  /** Changes the signed text. */
  finish: (jwt: string) => string | Promise<string>;
}

/** A statement that an entity publishes. */
export interface Published extends Draft {
  /** How its address answers, where that is not as it must be. */
  document: Partial<Document>;
}

/** A superior of the relying party: its configuration, and its statement about the entity below. */
export interface Level {
  readonly entity: Entity;
  readonly configuration: Published;
  readonly statement: Published;
}

/** A relying party and the entities above it, as one condition needs them. Everything may be changed until it is published. */
export interface Plan {
  readonly rp: Entity;
  /** The key that the relying party authenticates with. */
  readonly clientKey: SigningKey;
  /** The immediate superior first; the last one is the trust anchor. */
  readonly levels: readonly Level[];
  /** The registration request. */
  readonly request: Draft & {
    contentType: string | undefined;
    /** Makes the body of the request from the signed statement. */
    body: (jwt: string) => string | Promise<string>;
  };
  /** Metadata of the relying party, which `request.claims` has too. */
  readonly metadata: Json;
}

/** Tells the entities of this run from those of the last one, which a provider may still have in a cache. */
const RUN = randomBytes(4).toString('hex');
let entities = 0;

export function newEntity(host: EntityHost, word: string, key?: SigningKey): Entity {
  entities += 1;
  const path = `/${RUN}/${word}-${entities}`;
  return { id: host.url + path, path, key: key ?? makeKey(`${word}-${entities}`) };
}

const asItIs = (jwt: string): string => jwt;

export function draft({ key, id }: Entity, claims: Json): Draft {
  return {
    claims: { iss: id, iat: now(), exp: now() + LIFETIME_S, ...claims },
    header: { typ: STATEMENT, kid: key.kid },
    key,
    finish: asItIs,
  };
}

export async function signedDraft({ key, header, claims, finish }: Draft): Promise<string> {
  return await finish(await signed(key, header, claims));
}

/** Returns the configuration of an authority. */
export function authorityClaims({ id, key }: Entity, superior: Entity | undefined): Json {
  return {
    sub: id,
    jwks: { keys: [key.jwk] },
    ...(superior === undefined ? {} : { authority_hints: [superior.id] }),
    metadata: {
      federation_entity: { federation_fetch_endpoint: `${id}/fetch`, federation_list_endpoint: `${id}/list` },
    },
  };
}

/** Plans a chain: intermediates upwards from the relying party to the trust anchor. */
export function levelsOf(rp: Entity, authorities: readonly Entity[]): readonly Level[] {
  return authorities.map((entity, at) => {
    const below = at === 0 ? rp : (authorities[at - 1] ?? rp);
    return {
      entity,
      configuration: { ...draft(entity, authorityClaims(entity, authorities[at + 1])), document: {} },
      statement: {
        ...draft(entity, { sub: below.id, jwks: { keys: [below.key.jwk] } }),
        document: {},
      },
    };
  });
}

/** Publishes the statements of a level. The configuration of a configured trust anchor stays as it is. */
export async function publish(
  host: EntityHost,
  { entity, configuration, statement }: Level,
  below: string,
  isAnchor: boolean,
): Promise<void> {
  const put = async (path: string, published: Published): Promise<void> => {
    const text = await signedDraft(published);
    host.publish(path, { body: () => text, ...published.document });
  };
  if (!isAnchor) await put(configurationPath(entity), configuration);
  await put(`${entity.path}/fetch?sub=${encodeURIComponent(below)}`, statement);
}

export const configurationPath = ({ path }: Pick<Entity, 'path'>): string =>
  `${path}/.well-known/openid-federation`;

/** Returns the statements of a plan as a trust chain: the first one is the relying party's. */
export async function chainOf(first: string, levels: readonly Level[]): Promise<readonly string[]> {
  const statements = await Promise.all(levels.map(async ({ statement }) => await signedDraft(statement)));
  const anchor = levels.at(-1);
  return [first, ...statements, ...(anchor === undefined ? [] : [await signedDraft(anchor.configuration)])];
}
