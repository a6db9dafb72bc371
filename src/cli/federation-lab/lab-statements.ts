import { joseJwtSigner } from '../../jose/compact-jws.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { systemRandom } from '../../system/random.ts';
import { entityIdOf, type FederationLab, type LabRole, publicKey } from './lab-data.ts';

const LIFETIME = 3600;
const signer = joseJwtSigner();

/** Where the sample relying party would be called back; nobody is there. */
const CALLBACK = 'https://rp.example/callback';

type Claims = Readonly<Record<string, unknown>>;

/** Who vouches for whom: the anchor for the organisation, and that for the relying party and our server. */
const SUPERIORS: Readonly<Partial<Record<LabRole, LabRole>>> = { organisation: 'anchor', rp: 'organisation' };

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
  const superior = SUPERIORS[role];
  return {
    sub: entityIdOf(lab, role),
    jwks: { keys: [publicKey(lab.keys[role])] },
    ...(superior === undefined ? {} : { authority_hints: [entityIdOf(lab, superior)] }),
    metadata:
      role === 'rp'
        ? { openid_relying_party: relyingParty(lab) }
        : { federation_entity: { federation_fetch_endpoint: `${entityIdOf(lab, role)}/fetch` } },
  };
}

function relyingParty({ clientKey }: FederationLab): Claims {
  return {
    client_name: 'Sample relying party',
    redirect_uris: [CALLBACK],
    client_registration_types: ['explicit', 'automatic'],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [publicKey(clientKey)] },
  };
}

/** What an entity of the lab says of itself (OpenID Federation 1.0 §9). */
export async function labConfiguration(lab: FederationLab, role: LabRole, now: number): Promise<string> {
  return await signedBy(lab, role, ownClaims(lab, role), now);
}

/** The request for explicit registration: the same, for this one server (§12.2.1). */
export async function labRequest(lab: FederationLab, audience: string, now: number): Promise<string> {
  return await signedBy(
    lab,
    'rp',
    { ...ownClaims(lab, 'rp'), aud: audience, jti: systemRandom.alphanumeric(16) },
    now,
  );
}

/** Our server, as the organisation vouches for it. */
export interface LabMember {
  readonly entity_id: string;
  readonly keys: () => Promise<readonly JsonWebKey[]>;
}

/** What one entity of the lab says of another; undefined where it does not know it (§8.1). */
export async function labStatement(
  lab: FederationLab,
  role: LabRole,
  subject: string,
  { server, now }: { readonly server: LabMember; readonly now: number },
): Promise<string | undefined> {
  if (role === 'organisation' && subject === server.entity_id)
    return await signedBy(lab, role, { sub: subject, jwks: { keys: await server.keys() } }, now);
  const subordinate = (Object.keys(SUPERIORS) as readonly LabRole[]).find(
    (one) => SUPERIORS[one] === role && entityIdOf(lab, one) === subject,
  );
  if (subordinate === undefined) return undefined;
  const policy = { contacts: { add: ['federation@organisation.example'] } };
  return await signedBy(
    lab,
    role,
    {
      sub: subject,
      jwks: { keys: [publicKey(lab.keys[subordinate])] },
      ...(role === 'organisation' ? { metadata_policy: { openid_relying_party: policy } } : {}),
    },
    now,
  );
}
