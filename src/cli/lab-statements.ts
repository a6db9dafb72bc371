import { joseJwtSigner } from '../jose/compact-jws.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { systemRandom } from '../system/random.ts';
import {
  anchorRoles,
  entityIdOf,
  type FederationLab,
  type LabClient,
  type LabRole,
  publicKey,
} from './federation-lab.ts';

const LIFETIME = 3600;
const signer = joseJwtSigner();

/** The redirection URI of the relying party that registers explicitly. No program answers there. */
const CALLBACK = 'https://rp.example/callback';

type Claims = Readonly<Record<string, unknown>>;

/** Returns the superiors of an entity. The organisation is also the superior of the development server. */
function superiorsOf(lab: FederationLab, role: LabRole): readonly LabRole[] {
  if (role === 'organisation') return anchorRoles(lab);
  return role === 'rp' || role === 'website' ? ['organisation'] : [];
}

async function signedBy(lab: FederationLab, role: LabRole, claims: Claims, now: number): Promise<string> {
  const key = lab.keys[role];
  const statement = { iss: entityIdOf(lab, role), iat: now, exp: now + LIFETIME, ...claims };
  return await signer.sign(
    statement,
    { alg: 'ES256', kid: String(key['kid']), typ: 'entity-statement+jwt' },
    key,
  );
}

function ownClaims(lab: FederationLab, role: LabRole): Claims {
  const superiors = superiorsOf(lab, role);
  return {
    sub: entityIdOf(lab, role),
    jwks: { keys: [publicKey(lab.keys[role])] },
    ...(superiors.length === 0
      ? {}
      : { authority_hints: superiors.map((superior) => entityIdOf(lab, superior)) }),
    metadata: metadataOf(lab, role),
  };
}

function metadataOf(lab: FederationLab, role: LabRole): Claims {
  if (role === 'rp')
    return {
      openid_relying_party: {
        ...relyingParty(lab, role),
        client_name: 'Sample relying party',
        redirect_uris: [CALLBACK],
        client_registration_types: ['explicit', 'automatic'],
      },
    };
  if (role === 'website')
    return {
      openid_relying_party: {
        ...relyingParty(lab, role),
        client_name: 'Website of the federation',
        redirect_uris: [websiteCallback(lab)],
        client_registration_types: ['automatic'],
        scope: 'openid profile email',
      },
    };
  return { federation_entity: { federation_fetch_endpoint: `${entityIdOf(lab, role)}/fetch` } };
}

function relyingParty(lab: FederationLab, role: LabClient): Claims {
  return {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [publicKey(lab.clientKeys[role])] },
  };
}

export const websiteCallback = (lab: FederationLab): string => `${entityIdOf(lab, 'website')}/callback`;

/** Returns the entity configuration of an entity of the federation (OpenID Federation 1.0 §9). */
export async function labConfiguration(lab: FederationLab, role: LabRole, now: number): Promise<string> {
  return await signedBy(lab, role, ownClaims(lab, role), now);
}

/** Returns the request for explicit registration: the entity configuration with an audience (§12.2.1). */
export async function labRequest(lab: FederationLab, now: number): Promise<string> {
  const claims = { ...ownClaims(lab, 'rp'), aud: lab.issuer, jti: systemRandom.alphanumeric(16) };
  return await signedBy(lab, 'rp', claims, now);
}

/**
 * Returns the trust chain of the relying party whose request this is. Its root is the trust anchor that the relying party selects
 * (§12.2.1, §12.2.3).
 */
export async function labChain(
  lab: FederationLab,
  request: string,
  anchor: LabRole,
  now: number,
): Promise<readonly string[]> {
  return [
    request,
    await statementAbout(lab, 'organisation', 'rp', now),
    await statementAbout(lab, anchor, 'organisation', now),
    await labConfiguration(lab, anchor, now),
  ];
}

/** The development server as a subordinate of the organisation. */
export interface LabMember {
  readonly entity_id: string;
  readonly keys: () => Promise<readonly JsonWebKey[]>;
}

/** Returns the statement of one entity about another, or undefined for an unknown subject (§8.1). */
export async function labStatement(
  lab: FederationLab,
  role: LabRole,
  subject: string,
  { server, now }: { readonly server: LabMember; readonly now: number },
): Promise<string | undefined> {
  if (role === 'organisation' && subject === server.entity_id)
    return await signedBy(lab, role, { sub: subject, jwks: { keys: await server.keys() } }, now);
  const subordinate = (['organisation', 'rp', 'website'] as const).find(
    (one) => superiorsOf(lab, one).includes(role) && entityIdOf(lab, one) === subject,
  );
  return subordinate === undefined ? undefined : await statementAbout(lab, role, subordinate, now);
}

async function statementAbout(
  lab: FederationLab,
  role: LabRole,
  subordinate: LabRole,
  now: number,
): Promise<string> {
  const policy = { contacts: { add: ['federation@organisation.example'] } };
  const claims = {
    sub: entityIdOf(lab, subordinate),
    jwks: { keys: [publicKey(lab.keys[subordinate])] },
    ...(role === 'organisation' ? { metadata_policy: { openid_relying_party: policy } } : {}),
  };
  return await signedBy(lab, role, claims, now);
}

/** Returns a JWT that a relying party signs with the key of its client: a request object or a client assertion. */
export async function labClientJwt(
  lab: FederationLab,
  role: LabClient,
  claims: Claims,
  typ: string,
): Promise<string> {
  const key = lab.clientKeys[role];
  const client_id = entityIdOf(lab, role);
  return await signer.sign(
    { iss: client_id, ...claims, aud: lab.issuer, jti: systemRandom.alphanumeric(22) },
    { alg: 'ES256', kid: String(key['kid']), typ },
    key,
  );
}
