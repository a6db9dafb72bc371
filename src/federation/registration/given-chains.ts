import { type JsonMembers, stringsOf } from '../json-value.ts';
import type { Reason } from '../reason.ts';
import type { TrustNeeds } from '../trust-chain/resolve-trust.ts';

/** The issuer and the subject of a statement. Nothing is verified: they only decide where to search (decision 36). */
interface Claimed {
  readonly iss: string;
  readonly sub: string;
}

/** The wishes that the chains of a registration request or of a request object express. */
export interface ChainWishes {
  /** The entities of the relying party's chains. They are asked first. */
  readonly preferred: readonly string[];
  /** The configured trust anchor at the root of a chain; undefined if no chain names one. */
  readonly anchor: string | undefined;
}

/**
 * Reads the chains that a relying party brings: its own, in the body or in `trust_chain`, and that of this server in
 * `peer_trust_chain`. All have one root, and this server trusts it (OpenID Federation 1.0 §4.4, §12.2.2 6, §12.2.3).
 * @param entityId this server
 * @param given.header the header of the registration request or of the request object
 * @param given.chain the statements that stand elsewhere in it
 */
export function readGivenChains(
  trust: TrustNeeds,
  entityId: string,
  { header, chain: elsewhere }: { readonly header: JsonMembers; readonly chain: readonly string[] },
): ChainWishes | { readonly reason: Reason } {
  const read = (chain: readonly string[]): Claims => chain.map((compact) => claimsOf(trust, compact));
  const own = [elsewhere, stringsOf(header['trust_chain'])].map(read);
  const peer = read(stringsOf(header['peer_trust_chain']));
  const [beginning] = peer;
  if (peer.length > 0 && (beginning?.iss !== entityId || beginning.sub !== entityId))
    return { reason: PEER_SUBJECT };
  const roots = [...own, peer].flatMap((chain) => rootOf(trust, chain) ?? []);
  const stranger = roots.find((root) => !isAnchor(trust, root));
  if (stranger !== undefined) return { reason: strangeRoot(stranger) };
  const [anchor] = roots;
  if (roots.some((root) => root !== anchor)) return { reason: TWO_ROOTS };
  return { preferred: own.flat().flatMap((claimed) => claimed?.iss ?? []), anchor };
}

/** Undefined for a statement that cannot be read. */
type Claims = readonly (Claimed | undefined)[];

function claimsOf({ inspector, limits }: TrustNeeds, compact: string): Claimed | undefined {
  const jwt = inspector.inspect(compact, limits.statement.length);
  if ('reason' in jwt) return undefined;
  const { iss, sub } = jwt.claims;
  return typeof iss === 'string' && typeof sub === 'string' ? { iss, sub } : undefined;
}

/** A chain is complete if it ends with a configured anchor, or with a configuration. One that ends below that shows a way only. */
function rootOf(trust: TrustNeeds, chain: Claims): string | undefined {
  const last = chain.at(-1);
  if (last === undefined) return undefined;
  return isAnchor(trust, last.iss) || last.iss === last.sub ? last.iss : undefined;
}

function isAnchor({ anchors }: TrustNeeds, entityId: string): boolean {
  return anchors.some(({ entity_id }) => entity_id === entityId);
}

const PEER_SUBJECT: Reason = {
  code: 'peer_chain_subject',
  words: 'peer_trust_chain must begin with the entity configuration of this server',
};
const TWO_ROOTS: Reason = {
  code: 'peer_chain_anchor',
  words: 'the trust chains of the request must end at one trust anchor',
};
const strangeRoot = (root: string): Reason => ({
  code: 'unknown_trust_anchor',
  words: `the trust chain ends at ${root}, which is not a trust anchor of this server`,
});
