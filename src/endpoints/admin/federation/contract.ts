import { TIME } from '../../../spec/admin-schemas/conventions.ts';
import { named } from '../../../spec/schemas.ts';
import { CLIENT_ORDERS } from '../client-order.ts';
import { operationContract } from '../operation-contract.ts';

const CLIENT = {
  client_id: 'The identifier of the client. That of an automatic client is an entity identifier.',
};
const ANCHOR = { entity_id: 'The entity identifier of a trust anchor of `federation.trust-anchors`.' };

export const memberList = operationContract({
  kind: 'list',
  name: 'admin-federation-member-list',
  path: '/admin/v1/federation/members',
  purpose:
    'Lists the clients that a federation vouches for. A filter that few meet may give a short page, or an empty one, with `next`: go on until it is absent.',
  scope: 'admin:federation:read',
  query: {
    trust_anchor: { words: 'The trust anchor that vouches for them.' },
    entity_id: { words: 'The identifier of an entity: it has at most two clients.' },
    name_contains: {
      words: 'A part of `client_name`, in upper or lower case.',
      schema: { type: 'string', minLength: 1, maxLength: 500 },
    },
    state: { words: 'Whether the registration has ended.', schema: { enum: ['active', 'expired'] } },
    expires_before: { words: 'The registration ends, or ended, before this time.', schema: TIME },
  },
  sort: CLIENT_ORDERS,
  problems: ['temporarily_unavailable'],
  item: named('AdminFederationMember'),
});

export const memberRead = operationContract({
  kind: 'item',
  name: 'admin-federation-member-read',
  path: '/admin/v1/federation/members/{client_id}',
  purpose: 'Returns one client that a federation vouches for, with its trust chain.',
  segments: CLIENT,
  scope: 'admin:federation:read',
  item: named('AdminFederationMember'),
});

export const memberChain = operationContract({
  kind: 'item',
  name: 'admin-federation-member-chain',
  path: '/admin/v1/federation/members/{client_id}/chain',
  purpose:
    'Searches for the trust chain of a client now, with statements that the server may have cached, and explains each check. Nothing is registered or renewed.',
  segments: CLIENT,
  scope: 'admin:federation:read',
  item: named('AdminResolution'),
  problems: ['conflict'],
});

export const memberRefresh = operationContract({
  kind: 'action',
  name: 'admin-federation-member-refresh',
  path: '/admin/v1/federation/members/{client_id}/refresh',
  purpose:
    'Resolves the entity of a client again now, and renews its clients. One that fails stays as it is.',
  segments: CLIENT,
  scope: 'admin:federation',
  action: 'federation.refresh',
  result: named('AdminFederationRefresh'),
  problems: ['conflict'],
});

export const memberEnd = operationContract({
  kind: 'removal',
  name: 'admin-federation-member-delete',
  path: '/admin/v1/federation/members/{client_id}',
  purpose:
    'Deletes a client of a federation and ends its tokens. While its federation vouches for it, it can register again.',
  segments: CLIENT,
  scope: 'admin:federation',
  action: 'client.delete',
});

export const federationResolve = operationContract({
  kind: 'action',
  name: 'admin-federation-resolve',
  path: '/admin/v1/federation/resolve',
  purpose:
    'Searches for a trust chain to an entity as the server does, and explains the outcome. Nothing is registered.',
  scope: 'admin:federation',
  action: 'federation.resolve',
  body: named('AdminResolutionRequest'),
  result: named('AdminResolution'),
  problems: ['conflict'],
});

export const anchorList = operationContract({
  kind: 'list',
  name: 'admin-trust-anchor-list',
  path: '/admin/v1/federation/trust-anchors',
  purpose: 'Lists the trust anchors of the settings with their keys: trusted, announced, missing.',
  scope: 'admin:federation:read',
  item: named('AdminTrustAnchor'),
  problems: ['conflict'],
});

export const anchorRead = operationContract({
  kind: 'item',
  name: 'admin-trust-anchor-read',
  path: '/admin/v1/federation/trust-anchors/{entity_id}',
  purpose: 'Returns one trust anchor with its keys.',
  segments: ANCHOR,
  scope: 'admin:federation:read',
  item: named('AdminTrustAnchor'),
  problems: ['conflict'],
});

export const anchorLook = operationContract({
  kind: 'action',
  name: 'admin-trust-anchor-look',
  path: '/admin/v1/federation/trust-anchors/{entity_id}/look',
  purpose: 'Fetches the configuration of a trust anchor now, so that its new keys are seen.',
  segments: ANCHOR,
  scope: 'admin:federation',
  action: 'trust-anchor.look',
  result: named('AdminTrustAnchor'),
  problems: ['conflict'],
});

export const anchorAccept = operationContract({
  kind: 'action',
  name: 'admin-trust-anchor-accept',
  path: '/admin/v1/federation/trust-anchors/{entity_id}/accept',
  purpose:
    'Trusts the keys that a trust anchor announces, and no longer those that its newest configuration lacks.',
  segments: ANCHOR,
  scope: 'admin:federation',
  action: 'trust-anchor.accept',
  body: named('AdminAnchorAcceptance'),
  result: named('AdminTrustAnchor'),
  problems: ['conflict'],
});

export const anchorReset = operationContract({
  kind: 'action',
  name: 'admin-trust-anchor-reset',
  path: '/admin/v1/federation/trust-anchors/{entity_id}/reset',
  purpose:
    'Forgets what servers have seen of a trust anchor, and every accepted key: the keys of the settings count.',
  segments: ANCHOR,
  scope: 'admin:federation',
  action: 'trust-anchor.reset',
  result: named('AdminTrustAnchor'),
  problems: ['conflict'],
});
