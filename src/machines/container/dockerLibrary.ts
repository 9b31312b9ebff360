/** Loads dockerode when a container is first used. */
import type Dockerode from 'dockerode';

export type DockerLibrary = typeof Dockerode;

let loaded: Promise<DockerLibrary> | undefined;

export const loadDocker = (): Promise<DockerLibrary> =>
  (loaded ??= import('dockerode').then((library) => library.default));
