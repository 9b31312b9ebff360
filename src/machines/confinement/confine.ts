/** Shell text that starts a command in bubblewrap on its machine. */
import { posix } from 'node:path';
import { UserFacing } from '../../base/errors.ts';
import { shellText } from '../../base/shellText.ts';
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../machine.ts';
import { caches, hiddenPaths, hostPattern, type Confinement } from './policy.ts';

/** Shell text that confines a command; see `confineScript`. */
export const script = shellText('./confine.sh', import.meta.url);
/** Matches the reason for which the script has not started a command, in its output. */
export const refusal = /^helios: .*could not be confined: (.*)\.$/m;
const proxy = shellText('./proxy.py', import.meta.url);

type Place = Pick<Machine, 'kind' | 'runsFolder'>;

/**
 * Returns a script for POSIX sh that runs its arguments, an argv, as a confined command, and
 * replaces itself by that command. If the command cannot be confined, the script starts nothing,
 * prints the reason, and exits with code 126. If `network` is a list, the hosts that the command
 * asks for are recorded: in `hosts.log` beside the script if the script is a file; otherwise in the
 * file `record` in the folder for temporary files, if `record` is given. Throws `UserFacing` for a
 * path with a line break.
 */
export function confineScript(
  { kind, runsFolder }: Place,
  confinement: Confinement,
  record = '',
): string {
  const { network, writable, sessionId, listedIn = 'the list of hosts' } = confinement;
  const helios = posix.dirname(runsFolder);
  const isOwn = kind === 'local' || posix.basename(helios) === '.helios';
  const values = {
    network: typeof network === 'string' ? network : 'hosts',
    session: sessionId,
    runs: runsFolder,
    helios,
    hidden: isOwn ? helios : '',
    grants: lines(writable),
    caches: lines(caches),
    keys: lines(hiddenPaths),
    ...(typeof network !== 'string' && {
      proxy,
      hosts: network.filter((host) => hostPattern.test(host)).join('\n'),
      advice: listedIn,
      record,
    }),
  };
  const assignments = Object.entries(values).map(
    ([name, value]) => `${name}=${shellQuote(value)}\n`,
  );
  return `${assignments.join('')}${script}`;
}

/** Returns a shell text that runs `command`, also a shell text, confined. */
export function confinedCommand(
  place: Place,
  confinement: Confinement,
  command: string,
  record = '',
): string {
  const confine = shellQuote(confineScript(place, confinement, record));
  const shell = '"$(command -v bash || echo /bin/sh)"';
  return `exec /bin/sh -c ${confine} helios ${shell} -c ${shellQuote(command)}`;
}

function lines(paths: readonly string[]): string {
  const broken = paths.find((path) => /[\n\t]/.test(path));
  if (broken === undefined) return paths.join('\n');
  throw new UserFacing(
    `The folder ${JSON.stringify(broken)} cannot be granted: its name has a line break or a tab.`,
    'Grant another folder.',
  );
}
