import assert from 'node:assert/strict';
import { type Authorities, type Entity, startAuthorities } from '../federation/authorities.ts';
import { type Program, startProgram } from '../program/start.ts';

/** A development server in a federation on loopback: an anchor, an organisation below it, and relying parties below that. */
export interface FederatedProgram {
  readonly program: Program;
  readonly authorities: Authorities;
  readonly anchor: Entity;
  readonly organisation: Entity;
  /** Publishes a relying party, whose superior vouches for it. */
  relyingParty(name: string, metadata: object): Entity;
  /** Registers a relying party explicitly, and returns its client_id. */
  register(name: string, metadata: object): Promise<string>;
  stop(): Promise<void>;
}

export async function startFederatedProgram(
  environment: Readonly<Record<string, string>> = {},
): Promise<FederatedProgram> {
  const authorities = await startAuthorities();
  const [anchor, organisation] = [authorities.entity('anchor'), authorities.entity('university')];
  anchor.publish([]);
  anchor.vouch(organisation);
  organisation.publish([anchor]);
  const program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_ORGANIZATION_NAME: 'Example',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify([
        { 'entity-id': anchor.id, jwks: { keys: [anchor.key.jwk] } },
      ]),
      CHANCERY_FEDERATION_STATEMENT_CACHE: '0',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      ...environment,
    },
  });
  const relyingParty = (name: string, metadata: object): Entity => {
    const entity = authorities.entity(name);
    entity.publish([organisation], { metadata: { openid_relying_party: metadata } });
    organisation.vouch(entity, {
      metadata_policy: { openid_relying_party: { contacts: { add: ['help@university.example'] } } },
    });
    return entity;
  };
  return {
    program,
    authorities,
    anchor,
    organisation,
    relyingParty,
    async register(name, metadata) {
      const body = relyingParty(name, metadata).request(program.issuer, [organisation], {
        metadata: { openid_relying_party: metadata },
      });
      const response = await fetch(`${program.url}/federation/clients`, {
        method: 'POST',
        headers: { 'content-type': 'application/entity-statement+jwt' },
        body,
      });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as {
        readonly metadata: { readonly openid_relying_party: { readonly client_id: string } };
      };
      return claims.metadata.openid_relying_party.client_id;
    },
    async stop() {
      await program.stop();
      await authorities.close();
    },
  };
}
