import type { VNode } from 'preact';
import type { AdminFederationMember } from '../../../client/client.ts';
import { isUnsupported } from '../../state/api.ts';
import { t } from '../../state/messages.ts';
import { empty } from '../../view/page.ts';

/** Returns the name of a member for people. */
export const memberName = ({
  client_name,
  entity_id,
}: Pick<AdminFederationMember, 'client_name' | 'entity_id'>): string =>
  client_name === null || client_name === '' ? entity_id : client_name;

/** Says that the tenant has no federation, where that is why a request failed; otherwise undefined. */
export const withoutFederation = (failure: unknown): VNode | undefined =>
  isUnsupported(failure) ? empty('federation', t('federation.off'), t('federation.off.text')) : undefined;
