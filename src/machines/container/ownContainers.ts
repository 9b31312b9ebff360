/**
 * The containers that Helios made, by their labels, and the removal of those that are of no use any
 * more.
 */
import type Dockerode from 'dockerode';
import { labels } from './containerSpec.ts';
import { statusOf, type Docker } from './engine.ts';
import { hasLiveRuns, type Container } from './insideContainer.ts';

export type Listed = Dockerode.ContainerInfo;

/**
 * Of one Helios home; of one of its machines, when it is named. Stopped ones too. Rejects as
 * dockerode does.
 */
export function containersOf(
  docker: Docker,
  homeId: string,
  machineId?: string,
): Promise<Listed[]> {
  const wanted = [
    `${labels.home}=${homeId}`,
    ...(machineId === undefined ? [] : [`${labels.machine}=${machineId}`]),
  ];
  return docker.listContainers({ all: true, filters: { label: wanted } });
}

export const isRunning = ({ State }: Listed): boolean => State === 'running';

/** Removes those in which no run is going on. Resolves with one of the others, if there is any. */
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
 * Removes the containers of this home whose machine is not known any more. Left alone are those in
 * which a run is going on, and the volumes: what runs have written is removed by nobody but the
 * user. Rejects as dockerode does.
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

/** Its volume stays. */
async function remove(container: Container): Promise<void> {
  await container.remove({ force: true }).catch((error: unknown) => {
    // Another Helios was first, or is at it.
    if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error;
  });
}
