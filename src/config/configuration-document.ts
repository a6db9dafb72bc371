import { CONFIG_VARIABLE, environmentName } from './environment.ts';
import type { ForTenants, Setting } from './setting.ts';
import { SETTING_PATHS, type SettingPath, settingAt } from './settings.ts';

const INTRODUCTION = `<!-- Made from src/config/settings.ts by \`npm run docs\`. Do not edit. -->
# Configuration

Settings come from three sources; a later one overrides an earlier one:

1. the defaults below,
2. the YAML file that \`--config FILE\` or \`${CONFIG_VARIABLE}\` names (YAML 1.2, core schema, no tags, no merge keys),
3. environment variables.

In the file, the part of a setting's name before the dot is a section:

\`\`\`yaml
# yaml-language-server: $schema=./docs/reference/configuration.schema.json
issuer: https://op.example.com
listen:
  port: 8080
\`\`\`

In the environment, items of a list are separated by commas. A setting marked *secret* may also be given as the name of
a file, in the variable with \`_FILE\` appended, or in YAML as \`{ file: NAME }\`; there, line ends separate items as well. A relative name in YAML begins at the folder of the YAML file. An unknown key, an unknown
variable that begins with \`CHANCERY_\`, and a value that breaks a rule stop the program; it lists all of them at once.
\`chancery config check\` does only that, and \`chancery config print\` shows every value and where it came from.

Durations are in seconds unless the type says otherwise. Units may follow numbers instead: \`90s\`, \`10m\`, \`1h30m\`, \`30d\` (\`w\`, \`d\`, \`h\`, \`m\`, \`s\`, \`ms\`).

A [tenant](../operate/tenants.md) may have its own value for a setting marked *Tenants: inherited*. Otherwise it
uses the process's value. Settings marked *Tenants: own* grant access: a tenant has its own value or the default, never
the process's. All other settings belong to the process.
`;

/** Returns the text of docs/reference/configuration.md: a table for each section, in the order of `SETTINGS`. */
export function configurationMarkdown(): string {
  const sections = Map.groupBy(SETTING_PATHS, sectionOf);
  return [INTRODUCTION, ...[...sections].map(([section, paths]) => sectionMarkdown(section, paths))].join(
    '\n',
  );
}

function sectionOf(path: SettingPath): string {
  return path.includes('.') ? path.slice(0, path.indexOf('.')) : 'general';
}

function sectionMarkdown(section: string, paths: readonly SettingPath[]): string {
  const header = '| setting | environment variable | type | default | description |\n|---|---|---|---|---|';
  return `## ${section}\n\n${header}\n${paths.map(row).join('\n')}\n`;
}

function row(path: SettingPath): string {
  const setting = settingAt(path);
  const variable = `\`${environmentName(path)}\`${setting.secret ? ` or \`${environmentName(path)}_FILE\`` : ''}`;
  const type = [setting.type, setting.unit, setting.secret ? '*secret*' : undefined]
    .filter(Boolean)
    .join(', ');
  const cells = [
    `\`${path}\``,
    variable,
    type,
    defaultText(setting),
    `${setting.description} ${ruleSentence(setting)} ${TENANT_SENTENCE[setting.tenants]}`,
  ];
  return `| ${cells.map((cell) => cell.trim().replaceAll('|', '\\|')).join(' | ')} |`;
}

function defaultText({ default: value, defaultWords }: Setting): string {
  if (defaultWords !== undefined) return defaultWords;
  if (Array.isArray(value) && value.length === 0) return 'empty';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

const TENANT_SENTENCE: Readonly<Record<ForTenants, string>> = {
  process: '',
  inherited: '*Tenants: inherited.*',
  own: '*Tenants: own.*',
};

/** Returns the rule as a sentence, or nothing for booleans and choices, whose type is the rule. */
function ruleSentence({ rule, type }: Setting): string {
  return type === 'boolean' || type.includes(' | ') ? '' : `${rule.charAt(0).toUpperCase()}${rule.slice(1)}.`;
}
