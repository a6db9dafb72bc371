import { recorded } from '../../src/testing/exchange-story.ts';
import {
  ANCHOR,
  federatedTenant,
  METADATA,
  ORG,
  RP,
  requestStatement,
} from '../../src/testing/federated-tenant.ts';
import { ADMIN } from '../../src/testing/tenant.ts';
import type { Story } from './story.ts';

export const federationStory: Story = async () => {
  const federated = await federatedTenant();
  federated.federation.join(RP, [ORG], { metadata: { openid_relying_party: METADATA } });
  const body = requestStatement();
  await federated.send('federation-registration', { body, contentType: 'application/entity-statement+jwt' });
  const story = recorded(federated);
  const { tenant } = story;
  const send = async (name: string, request: object = {}) =>
    await tenant.send(`admin-${name}`, { bearer: ADMIN, ...request });
  const { json } = await send('federation-member-list', { query: `trust_anchor=${ANCHOR.id}&limit=1` });
  story.show('The members that an anchor vouches for', 200);
  const [member] = json['items'] as readonly { readonly client_id: string }[];
  const segments = { client_id: member?.client_id ?? '' };
  await send('federation-member-read', { segments });
  story.show('One member', 200);
  await send('federation-member-chain', { segments, query: 'fields=subject,chain,fetches' });
  story.show('Its trust chain as it is now, without the steps of the search', 200);
  await send('federation-member-refresh', { segments });
  story.show('The member is resolved again', 200);
  await send('federation-resolve', { json: { entity_id: 'https://stranger.example' } });
  story.show('A resolution that finds no chain', 200);
  await send('trust-anchor-list', { query: 'fields=entity_id,expires_at' });
  story.show('The trust anchors', 200);
  const anchor = { segments: { entity_id: ANCHOR.id } };
  await send('trust-anchor-read', { ...anchor, query: 'fields=entity_id,problem' });
  story.show('One trust anchor', 200);
  await send('trust-anchor-accept', { ...anchor, json: { thumbprints: ['not-announced'] } });
  story.show('Keys that the anchor does not announce', 409);
  await send('federation-member-delete', { segments, headers: { 'if-match': '*' } });
  story.show('The client is deleted', 204);
  return story;
};
