/**
 * What tests of container machines need: an engine's programs, and two images that are made here,
 * for none can be pulled.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import { installPackages } from './packages.ts';
import { cacheFolder } from './paths.ts';

const programs = ['/usr/sbin/dockerd', '/usr/sbin/debootstrap', '/bin/busybox'];

/**
 * The path of a Docker engine of this machine; on Debian as root it is installed when missing. It
 * is not started.
 */
export async function installDocker(): Promise<string> {
  const isThere = (): boolean => programs.every((program) => existsSync(program));
  if (!isThere()) await installPackages('docker.io', 'debootstrap', 'busybox-static', 'tini');
  if (isThere()) {
    await debianImage();
    return '/usr/sbin/dockerd';
  }
  throw new Error(
    'A Docker engine is missing: tests of container machines start one of their own. Install it ' +
      '(Debian, as root: apt-get install docker.io debootstrap busybox-static tini).',
  );
}

/**
 * A root file system of Debian as a tar, to be imported; the first call on a machine takes about a
 * minute.
 */
export async function debianImage(): Promise<string> {
  const image = join(cacheFolder, 'debian-bookworm.tar');
  if (existsSync(image)) return image;
  await mkdir(cacheFolder, { recursive: true });
  const unfinished = await mkdtemp(join(cacheFolder, 'installing-'));
  try {
    const root = join(unfinished, 'root');
    await run('/usr/sbin/debootstrap', ['--variant=minbase', 'bookworm', root]);
    await rm(join(root, 'var/cache/apt/archives'), { recursive: true });
    await run('tar', ['-C', root, '-cf', join(unfinished, 'image.tar'), '.']);
    await rename(join(unfinished, 'image.tar'), image);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return image;
}

/** One program that is a whole system: no bash, and the tools of the smallest images. */
export async function busyboxImage(folder: string): Promise<string> {
  const image = join(folder, 'busybox.tar');
  const root = join(folder, 'busybox');
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'tmp'));
  await run('cp', ['/bin/busybox', join(root, 'bin')]);
  await run(join(root, 'bin/busybox'), ['--install', join(root, 'bin')]);
  await run('tar', ['-C', root, '-cf', image, '.']);
  return image;
}
