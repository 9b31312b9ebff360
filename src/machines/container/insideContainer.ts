/** Runs commands in a running container. */
import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { quotedReason } from '../../base/untrusted.ts';
import { MachineFailure } from '../machine.ts';
import { DockerChannel, newMarker, reportingArgv } from './dockerChannel.ts';

export type Container = Dockerode.Container;

/** Starts a command as `user`. Default: the user of the container. Rejects as dockerode does. */
export async function startIn(
  container: Container,
  line: string,
  user?: string,
): Promise<DockerChannel> {
  const marker = newMarker();
  const exec = await container.exec({
    Cmd: reportingArgv(line, marker),
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    ...(user !== undefined && { User: user }),
  });
  const stream: Duplex = await exec.start({ hijack: true, stdin: true });
  return new DockerChannel(stream, marker);
}

/**
 * Resolves with the stdout of a command. Rejects as dockerode does, and with `MachineFailure` when
 * the command failed.
 */
export async function outputOf(container: Container, line: string, user?: string): Promise<string> {
  const channel = await startIn(container, line, user);
  let code: unknown;
  let stderr = '';
  channel.once('exit', (exitCode: unknown) => (code = exitCode));
  channel.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  channel.end();
  let text = '';
  for await (const bytes of channel) text += String(bytes);
  if (code === 0) return text;
  throw new MachineFailure(
    'io',
    `A command in the container failed: ${quotedReason(stderr, 'the container', 'it was stopped')}.`,
  );
}

/**
 * Script that counts processes of runs: those with `HELIOS_RUN_ID` in their environment, and
 * supervisors (`capsule.sh`). The brackets keep the pattern from matching the command line of
 * `grep`.
 */
const liveRunScript =
  "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c '[c]apsule.sh$\\|^[H]ELIOS_RUN_ID=' || :";

/**
 * Returns whether runs are active in the container; false when it is stopped. Rejects as dockerode
 * does.
 */
export async function hasLiveRuns(container: Container): Promise<boolean> {
  const { State } = await container.inspect();
  return State.Running && Number(await outputOf(container, liveRunScript)) > 0;
}
