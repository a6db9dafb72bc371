import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';
import { fetchLibraries, missingLibraries, missingLibrariesMessage } from './missing-libraries.ts';

/** The Chromium of the npm package, with most of the libraries that a minimal Debian lacks. */
export interface UnpackedChromium {
  readonly folder: string;
  readonly executable: string;
  /** Variables that lead it to its libraries and fonts. */
  readonly environment: Readonly<Record<string, string>>;
}

const PACKAGE = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** The package's own file names folders of one cloud. Without any font, a text field crashes this Chromium. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

/**
 * Unpacks the browser once for each version, and fetches the libraries that the system lacks.
 * Uses only the archives of the package: its own code unpacks to predictable names in /tmp, and its libraries only in a
 * cloud's containers.
 * @throws Error that names the missing library and its Debian package
 */
export async function unpackedChromium(): Promise<UnpackedChromium> {
  const { version } = JSON.parse(await readFile(new URL('package.json', PACKAGE), 'utf8')) as {
    version: string;
  };
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) await unpackTo(folder);
  const environment = { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder };
  await completeLibraries(folder, environment);
  return { folder, executable: join(folder, 'chromium'), environment };
}

async function completeLibraries(
  folder: string,
  environment: UnpackedChromium['environment'],
): Promise<void> {
  const missing = await missingLibraries(folder, environment);
  if (missing.length === 0) return;
  const words = missingLibrariesMessage(missing);
  try {
    await fetchLibraries(missing, join(folder, 'lib'));
  } catch (cause) {
    throw new Error(words, { cause });
  }
  if ((await missingLibraries(folder, environment)).length > 0) throw new Error(words);
}

/** Unpacks beside the target and renames: another process finds all of it or nothing. */
async function unpackTo(folder: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const beside = mkdtempSync(`${folder}-`);
  try {
    const program = createWriteStream(join(beside, 'chromium'), { mode: 0o755 });
    await pipeline(...decompressed('chromium.br'), program);
    for (const archive of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'])
      await untar(archive, beside);
    writeFileSync(join(beside, 'fonts.conf'), FONTS);
    renameSync(beside, folder);
  } catch (failure) {
    rmSync(beside, { recursive: true, force: true });
    if (!existsSync(folder)) throw failure;
  }
}

function decompressed(name: string): [NodeJS.ReadableStream, ReturnType<typeof createBrotliDecompress>] {
  return [createReadStream(new URL(`bin/${name}`, PACKAGE)), createBrotliDecompress()];
}

/** Writes the archive to a file first: tar closes its input at the archive's end, which fails a pipeline into it. */
async function untar(archive: string, folder: string): Promise<void> {
  const file = join(folder, archive.replace(/\.br$/, ''));
  await pipeline(...decompressed(archive), createWriteStream(file));
  const tar = spawn('tar', ['-x', '-f', file, '-C', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(tar, 'close')) as [number | null];
  if (code !== 0) throw new Error(`tar ended with ${code} for ${archive}`);
  rmSync(file);
}
