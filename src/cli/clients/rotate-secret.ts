import { parseArgs } from 'node:util';
import { openSecret } from '../../clients/secrets/client-secrets.ts';
import { rotateSecret } from '../../clients/secrets/rotate-secret.ts';
import { operands, secondsOption } from '../command-input.ts';
import type { Run } from '../commands.ts';
import { auditedAct, REGISTRY_OPTIONS, withRegistry } from '../registry-session.ts';
import { printFields, timeText } from '../table.ts';
import { clientNamed } from './client-operand.ts';

/** Gives a client a new secret and prints it; the metadata and the registration token stay as they are. */
export const run: Run = async (parameters, context) => {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: { ...REGISTRY_OPTIONS, 'keep-previous': { type: 'string' } },
  });
  const [client_id = ''] = operands(positionals, ['ID']);
  const keep = values['keep-previous'];
  const asked = keep === undefined ? undefined : secondsOption('keep-previous', keep);
  const { config, mode, tenant, json } = values;
  return await withRegistry({ config, mode, tenant, create: false }, context, async (session) => {
    const { needs } = session;
    const keepPreviousSeconds = asked ?? needs.settings.previousSecretGrace;
    const client = await auditedAct(session, 'client.secret', async (trail) => {
      trail.client_id = client_id;
      const { client_id: id } = await clientNamed(session, client_id);
      return await rotateSecret(needs, id, { keepPreviousSeconds }, trail);
    });
    const [secret, previous] = client.secrets;
    if (secret === undefined) throw new Error('a rotated secret is not there');
    const client_secret = openSecret(needs.sealer, client, secret);
    const { expires_at } = secret;
    if (json) {
      context.print(JSON.stringify({ client_id, client_secret, client_secret_expires_at: expires_at }));
      return 0;
    }
    printFields(context.print, [
      ['client_id', client_id],
      ['client_secret', client_secret],
      ['client_secret_expires_at', timeText(expires_at, 'never')],
      ['previous secret', previous === undefined ? 'ended' : `until ${timeText(previous.expires_at, '-')}`],
    ]);
    return 0;
  });
};
