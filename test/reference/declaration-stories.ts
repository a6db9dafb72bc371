import { ADMIN, SERVICE } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const declarations: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const clients = [{ client_id: 'nightly', metadata: { ...SERVICE, client_name: 'Nightly' } }];
  const send = async (json: object): Promise<void> => {
    await tenant.send('admin-declaration-apply', { bearer: ADMIN, json });
  };
  await tenant.send('admin-declaration-plan', { bearer: ADMIN, json: { owner: 'shop', clients } });
  story.show('A plan', 200);
  const steps = clients.map((client) => ({ action: 'create', seen: null, ...client }));
  await send({ owner: 'shop', steps });
  story.show('The plan is applied', 200);
  await send({ owner: 'shop', steps });
  story.show('The client is not as the plan has seen it', 409);
  await tenant.send('admin-declaration-list', {
    bearer: ADMIN,
    query: 'owner=shop&fields=client_id,version',
  });
  story.show('The clients of the owner', 200);
  return story;
};

const tenants: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  const declared = {
    id: 'acme-declared',
    issuer: 'https://op.example.com/acme-declared',
    aliases: [],
    settings: { 'federation.enabled': true, 'federation.authority-hints': ['https://federation.example'] },
  };
  const send = async (steps: readonly object[]): Promise<void> => {
    await tenant.send('admin-tenant-declaration-apply', {
      bearer: ADMIN,
      json: { owner: 'platform', steps },
    });
  };
  const json = { owner: 'platform', tenants: [declared] };
  await tenant.send('admin-tenant-declaration-plan', { bearer: ADMIN, json });
  story.show('A plan for tenants', 200);
  await send([{ action: 'create', seen: null, ...declared }]);
  story.show('The plan is applied', 200);
  await send([{ action: 'change', seen: 3, ...declared }]);
  story.show('The tenant is not as the plan has seen it', 409);
  await tenant.send('admin-tenant-declaration-list', { bearer: ADMIN, query: 'owner=platform' });
  story.show('The tenants of the owner', 200);
  return story;
};

/** The requests and answers about declared clients and tenants. */
export const DECLARATION_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-declarations': [declarations, tenants],
};
