import { openSecret } from '../clients/secrets/client-secrets.ts';
import { retireSecret, rotateSecret, secretsOf } from '../clients/secrets/rotate-secret.ts';
import { NotFound } from '../spec/errors.ts';
import { clientNamed } from './client-display.ts';
import { type Command, command } from './command.ts';

import { auditedAct, BESIDE_SERVERS, READS_BESIDE_SERVERS, withRegistry } from './session.ts';
import { REGISTRY_OPTIONS, SETTINGS_VARIABLES } from './settings.ts';
import { printFields, table, timeText } from './table.ts';

const HEADS = ['NAME', 'CREATED', 'EXPIRES', 'LAST USED'];

const CLIENT = { id: { words: 'Names the client by its client_id.' } } as const;

const rotate = command({
  words: ['clients', 'rotate-secret'],
  summary: 'Give a client a new secret and print it',
  description: [
    'The metadata and the registration access token of the client stay as they are. The previous secret stops working after the time of --keep-previous, which lets the client change over.',
  ],
  servers: BESIDE_SERVERS,
  operands: CLIENT,
  options: {
    'keep-previous': {
      kind: 'seconds',
      words:
        'Keeps the previous secret valid for this time; 0 ends it at once. Without it, `registration.previous-secret-grace` counts.',
    },
    ...REGISTRY_OPTIONS,
  },
  environment: SETTINGS_VARIABLES,
  output:
    'The client_id, the new secret in clear, and the times of both secrets. With --json, one JSON object.',
  examples: ['chancery clients rotate-secret demo --keep-previous 1d'],
  run: async (call) => {
    const { id: client_id } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      const { needs } = session;
      const keepPreviousSeconds =
        call.options['keep-previous'] ?? needs.settings['registration.previous-secret-grace'];
      const client = await auditedAct(session, 'client.secret', async (trail) => {
        trail.client_id = client_id;
        const { client_id: id } = await clientNamed(session, client_id);
        return await rotateSecret(needs, id, { keepPreviousSeconds }, trail);
      });
      const [secret, previous] = client.secrets;
      if (secret === undefined) throw new Error('the rotated secret is absent');
      const client_secret = openSecret(needs.sealer, client, secret);
      const { expires_at } = secret;
      if (call.options.json) {
        call.print(JSON.stringify({ client_id, client_secret, client_secret_expires_at: expires_at }));
        return;
      }
      printFields(call.print, [
        ['client_id', client_id],
        ['client_secret', client_secret],
        ['client_secret_expires_at', timeText(expires_at, 'never')],
        ['previous secret', previous === undefined ? 'ended' : `until ${timeText(previous.expires_at, '-')}`],
      ]);
    });
  },
});

const list = command({
  words: ['clients', 'secrets'],
  summary: 'List the secrets of a client by name, with their last use',
  description: ['The command shows the name of each secret and its times, never the secret.'],
  servers: READS_BESIDE_SERVERS,
  operands: CLIENT,
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'A table with one line for each secret. With --json, one JSON object per line.',
  examples: ['chancery clients secrets demo'],
  run: async (call) => {
    await withRegistry(call, { create: false }, async (session) => {
      const secrets = await secretsOf(session.needs, await clientNamed(session, call.operands.id));
      if (call.options.json) {
        for (const secret of secrets) call.print(JSON.stringify(secret));
        return;
      }
      table(call.print, HEADS).print(
        secrets.map(({ name, created_at, expires_at, last_used_at }) => [
          name,
          timeText(created_at, '-'),
          timeText(expires_at, 'never'),
          timeText(last_used_at, '-'),
        ]),
      );
    });
  },
});

const retire = command({
  words: ['clients', 'retire-secret'],
  summary: 'End one of several secrets of a client',
  description: [
    'The secret stops working at once; `clients restore --with-secrets` brings it back. The last secret of a client cannot be retired: delete the client, or rotate the secret.',
  ],
  servers: BESIDE_SERVERS,
  operands: { ...CLIENT, name: { words: 'Names the secret as `clients secrets` prints it.' } },
  options: REGISTRY_OPTIONS,
  environment: SETTINGS_VARIABLES,
  output: 'One line. With --json, one JSON object.',
  examples: ['chancery clients retire-secret demo 5kQ2'],
  run: async (call) => {
    const { id: client_id, name } = call.operands;
    await withRegistry(call, { create: false }, async (session) => {
      await auditedAct(session, 'client.secret', async (trail) => {
        const client = await clientNamed(session, client_id);
        await retireSecret(session.needs, client.client_id, name, trail).catch((failure: unknown) => {
          if (!(failure instanceof NotFound)) throw failure;
          throw new NotFound(`the client has no secret ${JSON.stringify(name)}`);
        });
      });
      call.print(call.options.json ? JSON.stringify({ client_id, name, retired: true }) : `retired ${name}`);
    });
  },
});

export const SECRET_COMMANDS: readonly Command[] = [rotate, list, retire];
