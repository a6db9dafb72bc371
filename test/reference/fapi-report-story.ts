import { ADMIN, CALLBACK } from '../../src/testing/tenant.ts';
import { type Story, storyTenant } from './story.ts';

const report: Story = async () => {
  const story = storyTenant();
  const { tenant } = story;
  await tenant.register({ redirect_uris: [CALLBACK], client_name: 'Shop' });
  await tenant.send('admin-fapi-report', { bearer: ADMIN, query: 'profile=fapi-2.0&fits=false' });
  story.show('A client with a secret, and the things that it lacks for FAPI 2.0', 200);
  return story;
};

export const FAPI_REPORT_STORIES: Readonly<Record<string, readonly Story[]>> = {
  'admin-fapi-report': [report],
};
