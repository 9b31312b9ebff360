/** Finds and opens the container engine, and translates its errors. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type Dockerode from 'dockerode';
import { codeOf, messageOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure } from '../machine.ts';
import { expandHome } from '../ssh/configFile.ts';
import { loadDocker } from './dockerLibrary.ts';

export type Docker = Dockerode;

/**
 * Returns the address of the container engine: `engine` of the entry, otherwise `DOCKER_HOST`,
 * otherwise the first existing socket (of Docker, then of Podman).
 */
export const engineOf = (engine: string | undefined): string =>
  engine ?? process.env.DOCKER_HOST ?? usualSocket();

/**
 * Returns a client for the engine at `place`, an address as `engineOf` returns. Does not connect
 * yet. Rejects with `MachineFailure` for an invalid address.
 */
export async function openEngine(place: string): Promise<Docker> {
  const Docker = await loadDocker();
  if (!place.includes('://')) return new Docker({ socketPath: expandHome(place, homedir()) });
  if (place.startsWith('unix://')) return new Docker({ socketPath: place.slice('unix://'.length) });
  // Let dockerode read DOCKER_HOST and the variables that name the TLS certificates, as `docker`
  // does.
  if (place === process.env.DOCKER_HOST) return new Docker();
  const { hostname, port, protocol } = new URL(place);
  if (protocol !== 'tcp:' && protocol !== 'http:')
    throw new MachineFailure(
      'io',
      `The engine ${place} is invalid. Write the path of a socket, or tcp://host:port.`,
    );
  return new Docker({ host: hostname, port: port || '2375', protocol: 'http' });
}

/** Returns whether the engine runs on this computer and can thus mount this computer's folders. */
export const isHere = (place: string): boolean =>
  !/^(tcp|http|https|ssh):\/\/(?!localhost\b|127\.|\[::1\])/.test(place);

/** Returns whether there is an engine to use: `DOCKER_HOST`, or a socket of Docker or Podman. */
export const hasContainerEngine = (): boolean =>
  process.env.DOCKER_HOST !== undefined || existsSync(usualSocket());

function usualSocket(): string {
  const runtimeFolder = process.env.XDG_RUNTIME_DIR;
  const sockets = [
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    ...(runtimeFolder === undefined
      ? []
      : [join(runtimeFolder, 'docker.sock'), join(runtimeFolder, 'podman/podman.sock')]),
    '/run/podman/podman.sock',
  ];
  return sockets.find((path) => existsSync(path)) ?? '/var/run/docker.sock';
}

/** Returns the HTTP status of the engine's answer; `undefined` when it did not answer. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

/**
 * Converts an error of the engine to a `MachineFailure`. `failure` is the first clause of the
 * message, such as `The image x could not be looked up`.
 */
export function engineFailure(error: unknown, failure: string): MachineFailure {
  if (error instanceof MachineFailure) return error;
  const detail = quotedReason(
    messageOf(error).replace(/^\(HTTP code \d+\) [^-]*- /, ''),
    'the container engine',
    'no reason',
  );
  const status = statusOf(error);
  if (status !== undefined)
    return new MachineFailure('io', `${failure}: ${detail}.`, { cause: error });
  const code = codeOf(error);
  if (code === 'EACCES')
    return new MachineFailure(
      'denied',
      `${failure}: this user has no permission to use the container engine (${detail}). Add the user to the group of the engine (Docker: docker), or choose another engine.`,
      { cause: error },
    );
  const isAbsent = code === 'ENOENT' || code === 'ECONNREFUSED';
  const why = isAbsent
    ? 'no container engine answers; start Docker or Podman, or set the address of the engine in machines.json'
    : detail;
  return new MachineFailure('unreachable', `${failure}: ${why}.`, { cause: error });
}
