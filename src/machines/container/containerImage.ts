/** Provides the image of an entry: uses an image that the engine has, or pulls or builds it. */
import { homedir } from 'node:os';
import { oneLine } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import type { ContainerEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configFile.ts';
import { messageOf } from '../../base/errors.ts';
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
 * Returns the image that an entry needs now, without contacting the engine. Rejects with
 * `MachineFailure`.
 */
export async function plannedImage({
  id,
  image = '',
  dockerfile,
  buildContext,
}: ContainerEntry): Promise<PlannedImage> {
  if (dockerfile === undefined) return { name: image };
  const own = (path: string): string => expandHome(path, homedir());
  const context = await readBuildContext(
    own(dockerfile),
    buildContext === undefined ? undefined : own(buildContext),
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
    // Add `latest` to a name without a tag: the engine would otherwise pull every tag. A colon
    // before a slash belongs to a port.
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
 * Builds with the engine's usual network, as `docker build` does. The entry's network applies to
 * its container.
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
    const said = `${output.trim()}\n${messageOf(error)}`.trim();
    throw new MachineFailure(
      'unreachable',
      `The image of ${id} could not be built from its Dockerfile:\n${said}`,
      {
        cause: error,
      },
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
      const said = events?.findLast((event) => event.error !== undefined)?.error;
      if (error ?? said) reject(error ?? new Error(said));
      else resolve();
    };
    docker.modem.followProgress(stream, onEnd, note);
  });
}
