import type { JsonValue } from '../../spec/json.ts';
import { sameJson } from '../json-value.ts';
import type { PolicyStep } from '../metadata-policy/policy-problem.ts';
import type { ChainTrace, SearchNode } from '../trust-chain/search-tree.ts';
import type { Explained } from './explained.ts';
import { valueWords } from './words.ts';

/** A member of the metadata that a valid chain results in. */
export interface FinalMember {
  readonly name: string;
  /** Undefined for a member that a policy removed. */
  readonly value: JsonValue | undefined;
  /** The operators that changed it, in the order in which they were applied. */
  readonly changes: readonly PolicyStep[];
}

export interface FinalEntityType {
  readonly entity_type: string;
  readonly members: readonly FinalMember[];
}

/** Returns the resulting metadata with the operators that changed each member; empty without a chain. */
export function finalMetadata({ chain, search }: Explained): readonly FinalEntityType[] {
  if (chain === undefined) return [];
  const changes = (validChain(search)?.policy ?? []).filter(isChange);
  return [...chain.metadata].map(([entity_type, parameters]) => {
    const ofType = changes.filter((step) => step.entity_type === entity_type);
    const names = new Set([...parameters.keys(), ...ofType.map(({ parameter }) => parameter)]);
    const members = [...names].map((name) => ({
      name,
      value: parameters.get(name),
      changes: ofType.filter(({ parameter }) => parameter === name),
    }));
    return { entity_type, members };
  });
}

function validChain(node: SearchNode): ChainTrace | undefined {
  if (node.chain !== undefined && node.chain.reason === undefined) return node.chain;
  return node.superiors.map(validChain).find((chain) => chain !== undefined);
}

function isChange({ before, after }: PolicyStep): boolean {
  if (before === undefined || after === undefined) return before !== after;
  return !sameJson(before, after);
}

/** Returns one change in words, for example `subset_of ["openid"] of https://org.example changed it from ["openid","email"]`. */
export function changeWords({ operator, configured, before, issuers = [] }: PolicyStep): string {
  const whose = issuers.length === 0 ? '' : ` of ${issuers.join(' and ')}`;
  const act = before === undefined ? 'added it' : `changed it from ${valueWords(before)}`;
  return `${operator} ${valueWords(configured)}${whose} ${act}`;
}
