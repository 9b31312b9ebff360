/** Opens the container engine, and translates its errors. */
import { homedir } from 'node:os';
import type Dockerode from 'dockerode';
import { codeOf, messageOf } from '../../base/errors.ts';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure } from '../machine.ts';
import { expandHome } from '../ssh/configPaths.ts';
import { loadDocker } from './dockerLibrary.ts';
import { findEngine, type FoundEngine } from './findEngine.ts';

export type Docker = Dockerode;

/**
 * Returns a client for the engine at `place`, an address as `findEngine` returns. Does not connect
 * yet. Rejects with `MachineFailure` for an invalid address.
 */
export async function openEngine(place: string): Promise<Docker> {
  const Docker = await loadDocker();
  if (!place.includes('://')) return new Docker({ socketPath: expandHome(place, homedir()) });
  const [, socketPath] = /^(?:unix|npipe):\/\/(.+)$/.exec(place) ?? [];
  if (socketPath !== undefined) return new Docker({ socketPath });
  // Let dockerode read DOCKER_HOST and the variables that name the TLS certificates, as `docker`
  // does.
  if (place === process.env.DOCKER_HOST) return new Docker();
  const { hostname, port, protocol } = new URL(place);
  if (protocol !== 'tcp:' && protocol !== 'http:')
    throw new MachineFailure(
      'io',
      `The engine ${place} is invalid. Write the path of a socket, npipe:////./pipe/NAME, or tcp://host:port.`,
    );
  return new Docker({ host: hostname, port: port || '2375', protocol: 'http' });
}

/** Returns whether the engine runs on this computer and can thus mount this computer's folders. */
export const isHere = (place: string): boolean =>
  !/^(tcp|http|https|ssh):\/\/(?!localhost\b|127\.|\[::1\])/.test(place);

/** Returns whether there is an engine to use: `DOCKER_HOST`, or a socket of an engine. */
export const hasContainerEngine = (): boolean => findEngine(undefined).isFound;

/** Returns the HTTP status of the engine's answer; `undefined` when it did not answer. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}

/**
 * Converts an error of the engine to a `MachineFailure`. `failure` is the first clause of the
 * message, such as `The image x could not be looked up`. `tried`: places where an engine was
 * searched for.
 */
export function engineFailure(
  error: unknown,
  failure: string,
  tried: FoundEngine['tried'] = [],
): MachineFailure {
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
  const where = tried.length === 0 ? '' : ` at ${tried.join(', ')}`;
  const why = isAbsent
    ? `no container engine answers${where}; start Docker or Podman, or set \`engine\` of the machine in machines.json`
    : detail;
  return new MachineFailure('unreachable', `${failure}: ${why}.`, { cause: error });
}
