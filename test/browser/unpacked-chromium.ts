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

/** A Chromium that npm brought, with the libraries that a plain Debian does not have. */
export interface UnpackedChromium {
  readonly executable: string;
  /** What it needs to find its libraries and fonts. */
  readonly environment: Readonly<Record<string, string>>;
}

const PACKAGE = new URL('../../node_modules/@sparticuz/chromium/', import.meta.url);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** The archive's own names folders of one cloud; without any font a text field ends this Chromium. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

/**
 * The package's own code unpacks to names in /tmp that anybody could have made before us, and its libraries in a cloud's
 * containers only: so the archives are all that is used of it. Unpacked once for each version.
 */
export async function unpackedChromium(): Promise<UnpackedChromium> {
  const { version } = JSON.parse(await readFile(new URL('package.json', PACKAGE), 'utf8')) as {
    version: string;
  };
  const folder = join(CACHE, `chromium-${version}`);
  if (!existsSync(folder)) await unpackTo(folder);
  return {
    executable: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_PATH: folder },
  };
}

/** Beside its place and then renamed: who comes at the same time finds all of it or nothing. */
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

async function untar(archive: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['-x', '-C', folder], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(tar, 'close');
  await pipeline(...decompressed(archive), tar.stdin);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`tar ended with ${code} for ${archive}`);
}
