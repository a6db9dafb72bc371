import { entityIdProblem } from '../../../federation/entity-id.ts';
import { resolutionAsJson } from '../../../federation/explain/json.ts';
import { trustedKeys } from '../../../federation/trust-anchors/anchor-record.ts';
import {
  acceptedByOperator,
  areCompared,
  offeredThumbprints,
} from '../../../federation/trust-anchors/anchor-rollover.ts';
import { lookAtAnchor } from '../../../federation/trust-anchors/look-at-anchor.ts';
import { shownKeys } from '../../../federation/trust-anchors/shown-keys.ts';
import type { AnchorView } from '../../../federation/trust-anchors/trust-anchors.ts';
import { resolveTrust, type TrustNeeds } from '../../../federation/trust-chain/resolve-trust.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import { timeOrNever } from '../../../spec/time-text.ts';
import {
  type AdminCall,
  acting,
  type Item,
  listing,
  type Plan,
  reading,
  type WriteCall,
} from '../operation.ts';
import { pageIn } from '../page-in-memory.ts';
import {
  anchorAccept,
  anchorList,
  anchorLook,
  anchorRead,
  anchorReset,
  federationResolve,
} from './contract.ts';
import { adminFederationMembers } from './members.ts';
import { type AdminFederationNeeds, required } from './needs.ts';

export const adminFederation = [
  ...adminFederationMembers,
  acting<AdminFederationNeeds>(federationResolve, async (needs, call) => resolution(needs, call)),
  listing<AdminFederationNeeds>(anchorList, async (needs, { page }) => {
    const anchors = await required(needs.trustAnchors).view();
    return pageIn(
      anchors.map((anchor) => anchorItem(anchor)),
      page,
      'entity_id',
    );
  }),
  reading<AdminFederationNeeds>(anchorRead, async (needs, call) => ({
    item: anchorItem(await anchorAt(needs, call)),
  })),
  acting<AdminFederationNeeds>(anchorLook, async (needs, call) => {
    const before = await anchorAt(needs, call);
    const { entity_id } = before;
    return {
      before: anchorItem(before),
      after: anchorItem(before),
      warnings: ['what changes is known after the look'],
      commit: async () => {
        const problem = problemOf(await lookAtAnchor(required(needs.trust), entity_id));
        await needs.storage.audit.append(call.event({ detail: entity_id }));
        return { item: anchorItem(await anchorAt(needs, call), problem) };
      },
    };
  }),
  acting<AdminFederationNeeds>(anchorAccept, async (needs, call) => acceptance(needs, call)),
  acting<AdminFederationNeeds>(anchorReset, async (needs, call) => {
    const anchors = required(needs.trustAnchors);
    const before = await anchorAt(needs, call);
    const { entity_id, pins } = before;
    const record = { iat: 0, exp: 0, keys: [] };
    const after = { ...before, record, trusted: [...pins.values()] };
    return {
      before: anchorItem(before),
      after: anchorItem(after),
      commit: async () => {
        await anchors.reset(entity_id, call.by);
        return { item: anchorItem(await anchorAt(needs, call)) };
      },
    };
  }),
];

async function anchorAt(needs: AdminFederationNeeds, { segments }: AdminCall): Promise<AnchorView> {
  const anchors = await required(needs.trustAnchors).view();
  const found = anchors.find(({ entity_id }) => entity_id === segments['entity_id']);
  if (found === undefined) throw notFound('trust anchor');
  return found;
}

function anchorItem(anchor: AnchorView, problem: string | null = null): Item {
  const { entity_id, record, trusted } = anchor;
  return {
    entity_id,
    expires_at: timeOrNever(record.exp === 0 ? null : record.exp),
    keys: shownKeys(anchor).map((key) => ({
      ...key,
      since: timeOrNever(key.since),
      missing_since: timeOrNever(key.missing_since),
    })),
    trusted: { keys: trusted.map(({ jwk }) => jwk) },
    problem,
  };
}

function problemOf(outcome: Awaited<ReturnType<typeof lookAtAnchor>>): string | null {
  if (outcome === 'trusted') return null;
  if (outcome === 'untrusted') return 'the configuration is not signed with a trusted key';
  return outcome.words;
}

/** Plans the acceptance of exactly the keys that the anchor announces now, and that the caller may have named. */
async function acceptance(needs: AdminFederationNeeds, call: WriteCall): Promise<Plan> {
  const anchors = required(needs.trustAnchors);
  const before = await anchorAt(needs, call);
  const { entity_id, pins } = before;
  const after = acceptedByOperator(pins, before.record, needs.registry.clock.now());
  const offered = offeredThumbprints(pins, before.record, needs.registry.clock.now());
  const compared = call.body['thumbprints'] as readonly string[] | undefined;
  if (compared !== undefined && !areCompared(offered, compared))
    throw new Problem('conflict', `the trust anchor announces other keys: ${offered.join(', ') || 'none'}`);
  const { record } = after;
  return {
    before: anchorItem(before),
    after: anchorItem({ ...before, record, trusted: trustedKeys(pins, record) }),
    commit: async () => {
      if ((await anchors.accept(entity_id, call.by)) === undefined)
        throw new Problem('conflict', 'the keys changed meanwhile: look at them again');
      return { item: anchorItem(await anchorAt(needs, call)) };
    },
  };
}

async function resolution(needs: AdminFederationNeeds, call: WriteCall): Promise<Plan> {
  const { entity_id, trust_anchor } = call.body as {
    readonly entity_id: string;
    readonly trust_anchor?: string;
  };
  const trust = withAnchor(required(needs.trust), trust_anchor);
  const problem = entityIdProblem(entity_id, trust.allowHttp);
  if (problem !== undefined) throw mistaken('/entity_id', problem);
  return {
    before: null,
    after: null,
    commit: async () => {
      const { remoteAddress } = call;
      const found = await resolveTrust(trust, {
        subject: { entity_id },
        entityType: undefined,
        remoteAddress,
      });
      await needs.storage.audit.append(call.event({ detail: entity_id }));
      return { item: resolutionAsJson(found) as Item };
    },
  };
}

function withAnchor(trust: TrustNeeds, wanted: string | undefined): TrustNeeds {
  if (wanted === undefined) return trust;
  const anchors = trust.anchors.filter(({ entity_id }) => entity_id === wanted);
  if (anchors.length === 0) throw mistaken('/trust_anchor', 'must be one of federation.trust-anchors');
  return { ...trust, anchors };
}

const mistaken = (pointer: string, detail: string): Problem =>
  new Problem('invalid_body', `${pointer} ${detail}`, { errors: [{ pointer, detail }] });
