/** The image of an entry: there already, pulled, or built. */
import { homedir } from 'node:os';
import { oneLine } from '../../base/text.ts';
import { MachineFailure } from '../machine.ts';
import type { ContainerEntry } from '../machineEntry.ts';
import { expandHome } from '../ssh/configFile.ts';
import { messageOf } from '../../base/errors.ts';
import { readBuildContext, tagOf, type BuildContext } from './buildContext.ts';
import { engineFailure, statusOf, type Docker } from './engine.ts';

/** Of a build that failed: its last lines, where the reason is. */
const shownOutput = 2000;

interface BuildEvent {
  readonly stream?: string;
  readonly error?: string;
}

export interface PlannedImage {
  readonly name: string;
  /** It is built from this. */
  readonly context?: BuildContext;
}

/** Which image an entry means now, without asking the engine. Rejects with `MachineFailure`. */
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
 * Makes sure that the engine has it. Rejects with `MachineFailure`; of a build that failed, with
 * its output.
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
    // Without a tag all of them would come. A colon before a slash is that of a port.
    await followed(docker, await docker.pull(/[:@][^/]*$/.test(image) ? image : `${image}:latest`));
  } catch (error) {
    const why = oneLine(engineFailure(error, 'it could not be pulled').message, 300);
    throw new MachineFailure(
      'unreachable',
      `The engine has no image ${image}, and ${why} Get it with: docker pull ${image}, or name another image.`,
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
    throw engineFailure(error, `The image ${image} cannot be looked for`);
  }
}

/**
 * With the engine's usual network, as `docker build` has it: the network of an entry is that of its
 * container.
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

/** The end of what the engine tells about a pull or a build. */
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
