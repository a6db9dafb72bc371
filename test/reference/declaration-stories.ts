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

/** The requests and answers about declared clients. */
export const DECLARATION_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-declarations': [declarations],
};
