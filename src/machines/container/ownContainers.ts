/** Lists the containers that Helios created, by their labels, and removes unused ones. */
import type Dockerode from 'dockerode';
import { labels } from './containerSpec.ts';
import { statusOf, type Docker } from './engine.ts';
import { hasLiveRuns, type Container } from './insideContainer.ts';

export type Listed = Dockerode.ContainerInfo;

/**
 * Lists the containers of a Helios home, or only those of one machine. Stopped containers are
 * included. Rejects as dockerode does.
 */
export function containersOf(
  docker: Docker,
  homeId: string,
  machineId?: string,
): Promise<Listed[]> {
  const labelFilters = [
    `${labels.home}=${homeId}`,
    ...(machineId === undefined ? [] : [`${labels.machine}=${machineId}`]),
  ];
  return docker.listContainers({ all: true, filters: { label: labelFilters } });
}

export const isRunning = ({ State }: Listed): boolean => State === 'running';

/**
 * Removes the containers without active runs. `busy` is one of the containers with active runs, if
 * there are any.
 */
export async function removeIdle(
  docker: Docker,
  listed: readonly Listed[],
): Promise<{ readonly busy: Container | undefined }> {
  let busy: Container | undefined;
  for (const each of listed) {
    const container = docker.getContainer(each.Id);
    if (await hasLiveRuns(container)) busy = container;
    else await remove(container);
  }
  return { busy };
}

/**
 * Removes the containers of this home whose machine is no longer listed, except those with active
 * runs. Volumes are not removed: only the user deletes what runs have written. Rejects as dockerode
 * does.
 */
export async function removeStrays(
  docker: Docker,
  homeId: string,
  isKnown: (machineId: string) => boolean,
): Promise<void> {
  const all = await containersOf(docker, homeId);
  await removeIdle(
    docker,
    all.filter(({ Labels }) => !isKnown(Labels[labels.machine] ?? '')),
  );
}

/** Removes a container, but not its volume. */
async function remove(container: Container): Promise<void> {
  await container.remove({ force: true }).catch((error: unknown) => {
    // Another Helios process has removed it, or is removing it.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  });
}
