import { sender } from '../../conformance/http.ts';
import { startProgram } from '../../program/start.ts';
import { type EntityHost, openHost } from '../authorities.ts';
import { makeKey } from '../keys.ts';
import { dialectsOf, openAnchors, openWorld } from '../run.ts';
import type { Dialect, World } from '../world.ts';

export interface StartedTarget {
  readonly world: World;
  readonly dialects: ReadonlyMap<Dialect, string | undefined>;
  stop(): Promise<void>;
}

/** Starts the program with the trust anchors of the suite, as the README says to configure a provider. */
export async function startChancery(): Promise<StartedTarget> {
  const host: EntityHost = await openHost({ listen: '127.0.0.1:0' });
  const anchors = await openAnchors(host, [makeKey('anchor'), makeKey('second-anchor')]);
  const program = await startProgram({
    mode: 'dev',
    environment: {
      CHANCERY_FEDERATION_ENABLED: 'true',
      CHANCERY_FEDERATION_TRUST_ANCHORS: JSON.stringify(
        [anchors.first, anchors.second].map(({ id, key }) => ({
          'entity-id': id,
          jwks: { keys: [key.jwk] },
        })),
      ),
      CHANCERY_FEDERATION_AUTHORITY_HINTS: anchors.first.id,
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
      CHANCERY_OUTBOUND_PORTS: 'any',
    },
  });
  const provider = { issuer: program.issuer, send: sender() };
  const world = await openWorld(host, anchors, provider, { allowHttp: true });
  return {
    world,
    dialects: await dialectsOf(world),
    async stop() {
      await program.stop();
      await host.close();
    },
  };
}
