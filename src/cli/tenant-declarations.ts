import { type SettingPath, settingAt } from '../config/settings.ts';
import { overrideFromText } from '../config/tenant-overrides.ts';
import type { DeclaredTenant } from '../ports/declared-tenants.ts';
import { DEFAULT_TENANT } from '../spec/identifiers.ts';
import type { JsonValue } from '../spec/json.ts';
import { suggestion } from '../spec/nearest.ts';

/** Where a secret is: files of declarations hold none. */
export interface SecretReference {
  readonly kind: 'file' | 'env';
  /** The name of a file, relative to the folder of its declaration, or of an environment variable. */
  readonly name: string;
}

/** A tenant as a file has it, before the server has seen it. */
export interface TenantDeclaration extends DeclaredTenant {
  /** Settings whose values are elsewhere, by path. `settings` has null for those that go. */
  readonly secrets: Readonly<Record<string, SecretReference>>;
}

/** A tenant in a file, with the file and the line for messages. */
export interface PlacedTenant extends TenantDeclaration {
  readonly place: string;
}

/** The tenants of one owner. */
export interface TenantGroup {
  readonly owner: string;
  /** In code-unit order of their ids. */
  readonly tenants: readonly PlacedTenant[];
}

export type Members = { readonly [name: string]: JsonValue };

export const isMap = (value: JsonValue | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MEMBERS_OF_TENANT = ['issuer', 'aliases', 'disabled', 'settings', 'federation'] as const;

const FEDERATION = 'federation.';

/** Returns the tenant that a file declares under `id`, or its mistakes as words that follow its name. */
export function tenantDeclarationOf(id: string, value: JsonValue): TenantDeclaration | readonly string[] {
  if (id === DEFAULT_TENANT)
    return [
      'is the default tenant: its settings are those of the configuration file, which you deploy (chancery config print)',
    ];
  if (!isMap(value))
    return ['must be a map with issuer, and optionally aliases, disabled, settings and federation'];
  const { issuer, aliases = [], disabled, settings = {}, federation = {} } = value;
  const mistakes = unknownMembers(value);
  if (typeof issuer !== 'string') mistakes.push('has no issuer: it must be an https URL of its own');
  if (!isTexts(aliases)) mistakes.push('has aliases that are not a list of text');
  if (disabled !== undefined && typeof disabled !== 'boolean')
    mistakes.push('has a member disabled that is neither true nor false');
  if (!isMap(settings) || !isMap(federation)) {
    mistakes.push('has settings or federation that are not a map of settings and values');
    return mistakes;
  }
  const given = settingsOf(settings, federation, mistakes);
  if (mistakes.length > 0 || typeof issuer !== 'string' || !isTexts(aliases)) return mistakes;
  return { id, issuer, aliases, ...(typeof disabled === 'boolean' ? { disabled } : {}), ...given };
}

const isTexts = (value: JsonValue): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function unknownMembers(value: Members): string[] {
  const known: readonly string[] = MEMBERS_OF_TENANT;
  return Object.keys(value).flatMap((name) =>
    known.includes(name)
      ? []
      : [
          `has the unknown member ${JSON.stringify(name)}${suggestion(name, known)}; members: ${known.join(', ')}`,
        ],
  );
}

function settingsOf(
  settings: Members,
  federation: Members,
  mistakes: string[],
): Pick<TenantDeclaration, 'settings' | 'secrets'> {
  const plain: (readonly [string, JsonValue])[] = [];
  const secrets: (readonly [string, SecretReference])[] = [];
  const inGroup = Object.entries(federation).map(([name, value]) => [`${FEDERATION}${name}`, value] as const);
  for (const [path, value] of [...Object.entries(settings), ...inGroup]) {
    const reference = referenceOf(value);
    if (Object.hasOwn(settings, path) && inGroup.some(([name]) => name === path))
      mistakes.push(`has ${path} in settings and in federation`);
    else if (!isSecret(path) || value === null) plain.push([path, value]);
    else if (reference === undefined)
      mistakes.push(
        `has a value of ${path} that is neither {file: NAME} nor {env: NAME}: declarations hold no secrets`,
      );
    else secrets.push([path, reference]);
  }
  // `fromEntries` defines members, so a setting `__proto__` stays one, and is refused by its name.
  const own = JSON.parse(JSON.stringify(Object.fromEntries(plain))) as Members;
  return { settings: own, secrets: Object.fromEntries(secrets) };
}

const isSecret = (path: string): boolean =>
  (settingAt(path as SettingPath) as { readonly secret: boolean } | undefined)?.secret === true;

export function referenceOf(value: JsonValue): SecretReference | undefined {
  const [[kind, name] = [], ...more] = isMap(value) ? Object.entries(value) : [];
  const fits =
    (kind === 'file' || kind === 'env') && typeof name === 'string' && name !== '' && more.length === 0;
  return fits ? { kind, name } : undefined;
}

/** Returns the declaration with the values of its references, or words about those that have none. */
export function withSecrets(
  { secrets, ...declared }: TenantDeclaration,
  read: (reference: SecretReference) => { readonly value: string } | { readonly problem: string },
): DeclaredTenant | readonly string[] {
  const found = Object.entries(secrets).map(([path, reference]) => ({ path, read: read(reference) }));
  const problems = found.flatMap((one) => ('problem' in one.read ? [`${one.path} ${one.read.problem}`] : []));
  if (problems.length > 0) return problems;
  const values = found.flatMap((one) =>
    'value' in one.read ? [[one.path, overrideFromText(one.path, one.read.value)] as const] : [],
  );
  const { id, issuer, aliases, settings, disabled } = declared;
  return { id, issuer, aliases, disabled, settings: { ...settings, ...Object.fromEntries(values) } };
}
