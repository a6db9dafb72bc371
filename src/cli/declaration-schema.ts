import { SETTING_PATHS, type SettingPath, settingAt } from '../config/settings.ts';
import { CLIENT_SCHEMAS } from '../spec/client-metadata-schema.ts';
import { closed, FLAG, type Schema, said, TEXT } from '../spec/json-schema.ts';
import { OWNER_NAME } from '../spec/owner-name.ts';
import { DECLARATIONS_VERSION } from './declarations.ts';

/** Members of a registration that a declaration states in another way: by its key, or by a reference. */
const STATED_OTHERWISE: ReadonlySet<string> = new Set(['preferred_client_id', 'preferred_client_secret']);

const REFERENCE: Schema = { anyOf: [closed({ file: TEXT }, ['file']), closed({ env: TEXT }, ['env'])] };

const FEDERATION = 'federation.';

/** The value of a setting is checked by its own rule, in the words of the configuration. */
const valueOf = (path: SettingPath): Schema => {
  const { description, rule, secret } = settingAt(path);
  return secret
    ? said(`${description} Without it, the tenant keeps its value; null removes it.`, {
        anyOf: [REFERENCE, { type: 'null' }],
      })
    : said(`${description} It ${rule}.`, {});
};

const OF_TENANTS = SETTING_PATHS.filter((path) => settingAt(path).tenants !== 'process');
const OF_FEDERATION = OF_TENANTS.filter((path) => path.startsWith(FEDERATION));

const TENANT = closed(
  {
    issuer: said('The issuer, an https URL of its own. It never changes.', TEXT),
    aliases: said('Further URLs under which the tenant answers.', { type: 'array', items: TEXT }),
    disabled: said('Whether the tenant is out of service. Without it, that stays as it is.', FLAG),
    settings: said(
      'Its own settings by path, all of them.',
      closed(Object.fromEntries(OF_TENANTS.map((path) => [path, valueOf(path)])), []),
    ),
    federation: said(
      'The settings of its federation by name: `authority-hints` stands for `federation.authority-hints`.',
      closed(
        Object.fromEntries(OF_FEDERATION.map((path) => [path.slice(FEDERATION.length), valueOf(path)])),
        [],
      ),
    ),
  },
  ['issuer'],
);

/** Returns the JSON Schema of files of declarations, which editors use to check and complete them. */
export function declarationSchema(): object {
  const { properties, patternProperties } = CLIENT_SCHEMAS.ClientMetadata;
  const members = Object.entries(properties).filter(([name]) => !STATED_OTHERWISE.has(name));
  const client_secret = said(
    'Where the secret is. A relative file name begins at the folder of this file. Without the member, the client keeps its secret.',
    REFERENCE,
  );
  const metadata = { ...closed({ ...Object.fromEntries(members), client_secret }, []), patternProperties };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Declarations for chancery plan and chancery apply',
    ...closed(
      {
        $schema: TEXT,
        chancery: said('The version of the format.', { const: DECLARATIONS_VERSION }),
        owner: said('Names the declarer of the clients and tenants of this document.', {
          type: 'string',
          pattern: OWNER_NAME.source,
        }),
        tenant: said(
          'The tenant of the clients. Without it, the one of --tenant, or the default tenant.',
          TEXT,
        ),
        tenants: said('Tenants by their id. The default tenant is that of the configuration file.', {
          type: 'object',
          additionalProperties: TENANT,
        }),
        defaults: said('Members that each client of this document has, unless it has them itself.', {
          $ref: '#/$defs/metadata',
        }),
        clients: said('Clients by their client_id.', {
          type: 'object',
          additionalProperties: { anyOf: [{ $ref: '#/$defs/metadata' }, { type: 'null' }] },
        }),
      },
      ['chancery'],
    ),
    $defs: { metadata },
  };
}
