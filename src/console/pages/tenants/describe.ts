import type { VNode } from 'preact';
import type { AdminTenant } from '../../../client/client.ts';
import { serverApi } from '../../state/api.ts';
import { tWord } from '../../state/messages.ts';
import { badge, type Tone } from '../../view/controls.ts';

/** The states of a tenant, in the order of its life. */
export const STATES: Readonly<Record<AdminTenant['state'], Tone>> = {
  active: 'good',
  disabled: 'warn',
  deleting: 'bad',
  deleted: 'quiet',
};

export const stateBadge = ({ state }: Pick<AdminTenant, 'state'>): VNode =>
  badge(tWord('tenants.state', state), STATES[state]);

/** A tenant with the version that a change of it must name. */
export interface VersionedTenant {
  readonly tenant: AdminTenant;
  readonly etag: string;
}

export async function tenantNow(id: string): Promise<VersionedTenant> {
  const { body, headers } = await serverApi.call('adminTenantRead', { id });
  return { tenant: body as AdminTenant, etag: headers.get('etag') ?? '*' };
}
