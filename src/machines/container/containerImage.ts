/**
 * Provides the container image for a machine's entry: pulls or builds the image unless the engine
 * has it.
 */
import { homedir } from 'node:os';
import { oneLine } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import type { ContainerEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configPaths.ts';
import { messageOf } from '../../base/errors.ts';
import { untrusted } from '../../base/untrusted.ts';
import { readBuildContext, tagOf, type BuildContext } from './buildContext.ts';
import { engineFailure, statusOf, type Docker } from './engine.ts';

/** Number of characters that an error quotes from the end of a failed build's output. */
const shownOutput = 2000;

interface BuildEvent {
  readonly stream?: string;
  readonly error?: string;
}

export interface PlannedImage {
  readonly name: string;
  /** Build context; absent for an image that is pulled. */
  readonly context?: BuildContext;
}

/**
 * Returns the image that an entry needs, given the current files of its build context. Does not
 * contact the engine. Rejects with `MachineFailure`.
 */
export async function plannedImage({
  id,
  image = '',
  dockerfile,
  buildContext,
}: ContainerEntry): Promise<PlannedImage> {
  if (dockerfile === undefined) return { name: image };
  const absolute = (path: string): string => expandHome(path, homedir());
  const context = await readBuildContext(
    absolute(dockerfile),
    buildContext === undefined ? undefined : absolute(buildContext),
  );
  return { name: tagOf(id, context), context };
}

/**
 * Pulls or builds the image unless the engine has it. Rejects with `MachineFailure`, which quotes
 * the output of a failed build.
 */
export async function ensureImage(
  docker: Docker,
  entry: ContainerEntry,
  { name, context }: PlannedImage,
): Promise<void> {
  if (await isThere(docker, name)) return;
  await (context === undefined ? pull(docker, name) : build(docker, entry, { context, tag: name }));
}

async function pull(docker: Docker, image: string): Promise<void> {
  try {
    // Add `latest` to a name without a tag: the engine would otherwise pull every tag. A colon in
    // front of a slash starts a port, not a tag.
    await followed(docker, await docker.pull(/[:@][^/]*$/.test(image) ? image : `${image}:latest`));
  } catch (error) {
    const why = oneLine(engineFailure(error, 'it could not be pulled').message, 300);
    throw new MachineFailure(
      'unreachable',
      `The engine has no image ${image}, and ${why} Run docker pull ${image}, or choose another image.`,
      { cause: error },
    );
  }
}

async function isThere(docker: Docker, image: string): Promise<boolean> {
  try {
    await docker.getImage(image).inspect();
    return true;
  } catch (error) {
    if (statusOf(error) === 404) return false;
    throw engineFailure(error, `The image ${image} could not be looked up`);
  }
}

/**
 * Builds with the engine's default network, as `docker build` does, or with the host's network if
 * the entry sets `host`. Any other network in the entry applies only to its container.
 */
async function build(
  docker: Docker,
  { id, network }: ContainerEntry,
  { context, tag }: { context: BuildContext; tag: string },
): Promise<void> {
  const options = {
    t: tag,
    dockerfile: context.dockerfile,
    rm: true,
    ...(network === 'host' && { networkmode: network }),
  };
  let output = '';
  const note = ({ stream = '' }: BuildEvent): void =>
    void (output = (output + stream).slice(-shownOutput));
  try {
    await followed(
      docker,
      await docker.buildImage({ context: context.folder, src: [...context.files] }, options),
      note,
    );
  } catch (error) {
    const detail = `${output.trim()}\n${messageOf(error)}`.trim();
    throw new MachineFailure(
      'unreachable',
      `The image of ${id} could not be built from its Dockerfile:\n${untrusted(detail, 'its build', 2 * shownOutput)}`,
      { cause: error },
    );
  }
}

/** Resolves when the pull or build has ended; rejects with the error that the engine reports. */
function followed(
  docker: Docker,
  stream: NodeJS.ReadableStream,
  note?: (event: BuildEvent) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onEnd = (error: Error | null, events: readonly BuildEvent[] | null): void => {
      const detail = events?.findLast((event) => event.error !== undefined)?.error;
      if (error ?? detail) reject(error ?? new Error(detail));
      else resolve();
    };
    docker.modem.followProgress(stream, onEnd, note);
  });
}
