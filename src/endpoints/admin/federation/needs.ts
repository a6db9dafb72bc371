import type { RegistryNeeds } from '../../../clients/registry-needs.ts';
import type { FederatedClients } from '../../../federation/registration/federated-clients.ts';
import type { TrustAnchors } from '../../../federation/trust-anchors/trust-anchors.ts';
import type { TrustNeeds } from '../../../federation/trust-chain/resolve-trust.ts';
import type { AuditLog } from '../../../ports/audit-log.ts';
import type { ClientLists } from '../../../ports/client-lists.ts';
import { Problem } from '../../../spec/problems.ts';

export interface AdminFederationNeeds {
  readonly registry: RegistryNeeds;
  readonly storage: { readonly clientLists: ClientLists; readonly audit: AuditLog };
  /** These three are undefined without a federation. */
  readonly federated: FederatedClients | undefined;
  readonly trust: TrustNeeds | undefined;
  readonly trustAnchors: TrustAnchors | undefined;
}

/** @throws Problem conflict without a federation */
export function required<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Problem('conflict', 'federation.enabled is false for this tenant');
  return part;
}
