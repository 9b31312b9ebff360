/** Finds the container engine of this computer: where Docker, Podman and their relatives listen. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { posix, win32 } from 'node:path';
import * as z from 'zod';
import type { Environment } from '../../base/childEnvironment.ts';
import { currentPlatform } from '../../base/platform.ts';

/** The computer on which an engine is searched for. */
export interface EngineSite {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly home: string;
  exists(path: string): boolean;
  /** Returns the names in a folder; empty if it cannot be read. */
  namesIn(folder: string): readonly string[];
  /** Returns the text of a file; `undefined` if it cannot be read. */
  textOf(path: string): string | undefined;
}

export interface FoundEngine {
  /** Path of a socket or pipe, or a URL. */
  readonly address: string;
  /** False if nothing was found: `address` is the usual one. */
  readonly isFound: boolean;
  /** Every place that was looked at before, and `address`. */
  readonly tried: readonly string[];
}

const orNothing = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

const thisComputer = (): EngineSite => ({
  platform: currentPlatform(),
  env: process.env,
  home: homedir(),
  exists: existsSync,
  namesIn: (folder) => orNothing(() => readdirSync(folder)) ?? [],
  textOf: (path) => orNothing(() => readFileSync(path, 'utf8')),
});

/**
 * Finds the engine that `engine` of an entry names, otherwise `DOCKER_HOST`, the context in
 * `DOCKER_CONTEXT`, the usual socket, the current context of Docker, or the first other socket.
 */
export function findEngine(
  engine: string | undefined,
  site: EngineSite = thisComputer(),
): FoundEngine {
  const { DOCKER_HOST: host, DOCKER_CONTEXT: context } = site.env;
  const named = engine ?? (host || undefined);
  if (named !== undefined) return { address: named, isFound: true, tried: [named] };
  const [usual = '', ...others] = socketsOf(site);
  const tried: string[] = [];
  const atContext = (name: string | undefined): string | undefined => {
    const found = name === undefined ? undefined : contextOf(site, name);
    if (found !== undefined) tried.push(found.shown);
    return found?.address;
  };
  const firstOf = (paths: readonly string[]): string | undefined =>
    paths.find((path) => tried.push(path) > 0 && isThere(site, path));
  const address =
    atContext(context || undefined) ??
    firstOf([usual]) ??
    atContext(currentContext(site)) ??
    firstOf(others);
  return { address: address ?? usual, isFound: address !== undefined, tried };
}

/** Returns whether a socket or a pipe exists. Looking at a pipe itself would connect to it. */
function isThere(site: EngineSite, path: string): boolean {
  const name = pipeName(path);
  return name === undefined ? site.exists(path) : site.namesIn(pipes).includes(name);
}

const pipes = '\\\\.\\pipe\\';

/** Returns the name of a pipe of Windows; `undefined` for another path. */
const pipeName = (path: string): string | undefined =>
  /^(?:\\\\|\/\/)\.[\\/]pipe[\\/](.+)$/.exec(path)?.[1];

/** Returns the places where engines listen on a platform, the usual one first. */
function socketsOf({ platform, env, home }: EngineSite): readonly string[] {
  if (platform === 'win32')
    return ['docker_engine', 'dockerDesktopLinuxEngine', 'podman-machine-default'].map(
      (name) => `//./pipe/${name}`,
    );
  const below = (folder: string | undefined, ...names: readonly string[]): string[] =>
    folder === undefined || folder === '' ? [] : names.map((name) => posix.join(folder, name));
  return [
    '/var/run/docker.sock',
    ...below(home, '.docker/run/docker.sock', '.docker/desktop/docker.sock'),
    ...below(env['XDG_RUNTIME_DIR'], 'docker.sock'),
    ...below(env['COLIMA_HOME'], 'default/docker.sock'),
    ...below(home, '.colima/default/docker.sock', '.config/colima/default/docker.sock'),
    ...below(home, '.orbstack/run/docker.sock', '.rd/docker.sock'),
    ...podmanMachine.flatMap((path) => below(home, path)),
    ...below(platform === 'darwin' ? env['TMPDIR'] : env['XDG_RUNTIME_DIR'], podmanApi),
    ...below(env['XDG_RUNTIME_DIR'], 'podman/podman.sock'),
    '/run/podman/podman.sock',
  ];
}

/** Socket of the machine of Podman 5, in the temporary folder. */
const podmanApi = 'podman/podman-machine-default-api.sock';
/** Sockets of the machine of Podman 4, in the home folder. */
const podmanMachine = ['podman.sock', 'podman-machine-default/podman.sock', 'qemu/podman.sock'].map(
  (name) => `.local/share/containers/podman/machine/${name}`,
);

const configSchema = z.object({ currentContext: z.string().optional() });
const contextSchema = z.object({
  Name: z.string(),
  Endpoints: z.object({ docker: z.object({ Host: z.string() }).optional() }),
});

const parsed = <T>(schema: z.ZodType<T>, text: string | undefined): T | undefined =>
  text === undefined
    ? undefined
    : (orNothing(() => schema.safeParse(JSON.parse(text)).data) ?? undefined);

const joinOn = ({ platform }: EngineSite) => (platform === 'win32' ? win32 : posix).join;

const configFolder = (site: EngineSite): string =>
  site.env['DOCKER_CONFIG'] || joinOn(site)(site.home, '.docker');

const currentContext = (site: EngineSite): string | undefined =>
  parsed(configSchema, site.textOf(joinOn(site)(configFolder(site), 'config.json')))
    ?.currentContext;

/**
 * Returns the engine of a context as `docker context` keeps it; without an address if it is only
 * reached by SSH or TLS, or if there is no such context.
 */
function contextOf(
  site: EngineSite,
  name: string,
): { readonly address?: string; readonly shown: string } | undefined {
  if (name === 'default' || name === '') return undefined;
  const join = joinOn(site);
  const contexts = join(configFolder(site), 'contexts');
  for (const id of site.namesIn(join(contexts, 'meta'))) {
    const context = parsed(contextSchema, site.textOf(join(contexts, 'meta', id, 'meta.json')));
    if (context?.Name !== name) continue;
    const address = context.Endpoints.docker?.Host ?? '';
    const shown = `the Docker context ${name} (${address})`;
    const isUsable = /^(?:unix|npipe|tcp|http):\/\//.test(address);
    const hasTls = site.exists(join(contexts, 'tls', id, 'docker'));
    return isUsable && !hasTls ? { address, shown } : { shown: `${shown}, which needs SSH or TLS` };
  }
  return { shown: `the Docker context ${name}, which does not exist` };
}
