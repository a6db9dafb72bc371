import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { ALL_NOUNS } from '../../src/cli/dispatch.ts';
import { buildPackage } from '../../tools/build/package.ts';
import { chancery } from '../journeys/command.ts';
import { REPOSITORY } from '../journeys/launcher.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<'postgres' | 'migrate' | 'chancery', Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const read = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8');
const containerfile = read('deploy/container/Containerfile').replaceAll('\\\n', ' ');
const { services, secrets } = parse(read('deploy/container/compose.yaml'), { merge: true }) as Compose;

/** Returns the words behind an instruction, of each line that has it. */
const instructions = (name: string): readonly string[] =>
  [...containerfile.matchAll(new RegExp(`^\\s*${name} +(.*)$`, 'gmu'))].map(([, words = '']) => words.trim());

const place = mkdtempSync(join(tmpdir(), 'chancery-container-'));

before(() => makeSecrets(place));

after(() => rmSync(place, { recursive: true }));

/** Runs the commands of the guide that make the secrets, except the one that needs root. */
function makeSecrets(folder: string): void {
  const [, block = ''] = /```sh\n(umask 027\n.*?)```/su.exec(read('docs/operate/install.md')) ?? [];
  const lines = block.split('\n').filter((line) => !line.includes('chgrp'));
  mkdirSync(join(folder, 'deploy/container'), { recursive: true });
  execFileSync('sh', ['-euc', lines.join('\n')], { cwd: folder });
}

test('Containerfile: each source that it copies is in the checkout or in the package of npm run build', async () => {
  await buildPackage(join(place, 'dist'));
  const copies = instructions('COPY').filter((words) => !words.startsWith('--from='));
  assert.ok(copies.length >= 4);
  for (const words of copies) {
    for (const source of words.split(/\s+/u).slice(0, -1)) {
      const found = globSync(source, { cwd: source.startsWith('dist/') ? place : REPOSITORY });
      assert.equal(found.length, 1, `${source}: ${found.join(' ')}`);
    }
  }
});

test('Containerfile: the image has the version of package.json, a user without rights, and no shell in between', () => {
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  assert.match(
    instructions('LABEL').join(' '),
    new RegExp(`image\\.version="${version.replaceAll('.', '\\.')}"`, 'u'),
  );
  assert.deepEqual(instructions('USER'), ['10001:10001']);
  const [entry = ''] = instructions('ENTRYPOINT');
  assert.deepEqual(
    instructions('HEALTHCHECK').map((words) => words.replace(/^.*CMD /u, '')),
    [entry.replace(']', ', "health"]')],
  );
  assert.equal(
    services.chancery.healthcheck?.test.join(' '),
    ['CMD', ...JSON.parse(entry), 'health'].join(' '),
  );
});

test('Containerfile: its variables are the hosts of both listeners, and no key', () => {
  const variables = [
    ...instructions('ENV')
      .join(' ')
      .matchAll(/(CHANCERY_\w+)=(\S+)/gu),
  ];
  const environment = Object.fromEntries(variables.map(([, name = '', value = '']) => [name, value]));
  assert.deepEqual(environment, {
    CHANCERY_LISTEN_HOST: '0.0.0.0',
    CHANCERY_MANAGEMENT_LISTEN_HOST: '0.0.0.0',
  });
});

/** Returns a service's variables as Compose would make them, with the secrets in the folder of the test. */
function environmentOf({ environment }: Service): Readonly<Record<string, string>> {
  const given: Readonly<Record<string, string>> = { CHANCERY_ISSUER: 'https://op.example.com' };
  const values = Object.entries(environment).map(([name, value]) => [
    name,
    value
      .replaceAll(
        /\$\{(\w+):[?-]([^}]*)\}/gu,
        (_all, variable: string, other: string) => given[variable] ?? other,
      )
      .replaceAll(/^\/run\/secrets\/(.+)$/gu, (_all, secret: string) =>
        join(place, 'deploy/container', secrets[secret]?.file ?? 'nowhere'),
      ),
  ]);
  return Object.fromEntries(values) as Readonly<Record<string, string>>;
}

for (const name of ['migrate', 'chancery'] as const) {
  test(`compose.yaml: the settings of ${name} are good for production, with the secrets that the guide makes`, async () => {
    const environment = environmentOf(services[name]);
    const { how, stdout, stderr } = await chancery(['config', 'check'], environment);
    assert.deepEqual(
      [how, stdout, stderr],
      [0, 'The settings are good for production: issuer https://op.example.com\n', ''],
    );
    const printed = await chancery(['config', 'print', '--json'], environment);
    const origins = JSON.parse(printed.stdout) as Readonly<Record<string, { readonly source: string }>>;
    assert.equal(origins['storage.url']?.source, 'CHANCERY_STORAGE_URL_FILE');
  });

  test(`compose.yaml: ${name} has a read-only root, no capability and no new privileges`, () => {
    const { read_only, cap_drop, security_opt } = services[name];
    assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']]);
  });
}

test('compose.yaml: each service is a command, has a secret for each file that it names, and waits for those before it', async () => {
  const commands = (await Promise.all(ALL_NOUNS.map(async ({ load }) => await load()))).flat();
  for (const { command } of [services.migrate, services.chancery])
    assert.ok(
      commands.some(({ words }) => words.join(' ') === command?.join(' ')),
      JSON.stringify(command),
    );
  for (const [name, service] of Object.entries(services)) {
    const named = Object.values(service.environment).flatMap(
      (value) => /^\/run\/secrets\/(.+)$/u.exec(value)?.[1] ?? [],
    );
    assert.deepEqual(named.toSorted(), [...service.secrets].toSorted(), name);
    for (const secret of named) assert.ok(secrets[secret] !== undefined, secret);
  }
  assert.deepEqual(services.migrate.depends_on, { postgres: { condition: 'service_healthy' } });
  assert.deepEqual(services.chancery.depends_on?.['migrate'], {
    condition: 'service_completed_successfully',
  });
});
