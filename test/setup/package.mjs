/** `npm run package`: the VSIX, built for production, without a network; fails when it has grown too large. */
import { createVSIX } from '@vscode/vsce';
import { mkdir, rm, stat } from 'node:fs/promises';
import { installedFolder, isBuilt, outFolder, packagePath, repositoryRoot } from './paths.ts';

const limitMegabytes = 8;

await mkdir(outFolder, { recursive: true });
if (!isBuilt()) {
  await rm(installedFolder, { recursive: true, force: true });
  await createVSIX({
    cwd: repositoryRoot,
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    rewriteRelativeLinks: false,
  });
}
const megabytes = (await stat(packagePath)).size / 1e6;
console.log(`${packagePath}: ${megabytes.toFixed(2)} MB of at most ${limitMegabytes} MB`);
if (megabytes > limitMegabytes) {
  console.error('The package is too large. `npx vsce ls --no-dependencies` lists what it holds.');
  process.exitCode = 1;
}
