/**
 * Checks whether processes on a machine survive the user's logout: systemd may be configured to end
 * them.
 */
import { shellQuote } from '../../base/text.ts';
import type { Machine } from '../../machines/machine.ts';
import { note, warning, type Finding } from './finding.ts';

/**
 * Prints the settings that the login manager reports for itself and for the user; prints nothing if
 * there is no login manager.
 */
const script = `command -v loginctl >/dev/null 2>&1 || exit 0
user=$(id -un)
echo "user=$user"
loginctl show-session -p KillUserProcesses -p KillOnlyUsers -p KillExcludeUsers </dev/null 2>/dev/null
loginctl show-user "$user" -p Linger </dev/null 2>/dev/null
`;

const timeoutMs = 10_000;

/**
 * Resolves with a finding if logging out ends the user's processes on the machine; with `undefined`
 * if it does not, or if that is unknown.
 */
export async function logoutFinding(
  machine: Pick<Machine, 'id' | 'kind' | 'exec'>,
): Promise<Finding | undefined> {
  if (machine.kind !== 'local' && machine.kind !== 'ssh') return undefined;
  const query = machine.exec(`sh -c ${shellQuote(script)}`, { cwd: '/', timeoutMs });
  const output = await query.then(({ stdout }) => stdout).catch(() => '');
  const settings = new Map(output.split('\n').map((line) => pairOf(line)));
  const user = settings.get('user') ?? '';
  if (settings.get('KillUserProcesses') !== 'yes' || !endsAtLogout(settings, user))
    return undefined;
  return machine.kind === 'local'
    ? findingHere(user, settings.get('Linger') === 'yes')
    : findingThere(machine.id, user);
}

const pairOf = (line: string): readonly [string, string] => {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1).trim()];
};

/**
 * Returns whether logind.conf ends the processes of this user at logout. Without a list of users
 * (`KillOnlyUsers`), this applies to every user.
 */
function endsAtLogout(settings: ReadonlyMap<string, string>, user: string): boolean {
  const list = (name: string): readonly string[] =>
    (settings.get(name) ?? '').split(/\s+/).filter((word) => word !== '');
  const only = list('KillOnlyUsers');
  return !list('KillExcludeUsers').includes(user) && (only.length === 0 || only.includes(user));
}

const allowed = (user: string): string =>
  `Alternatively, an administrator can set KillExcludeUsers=${user} in logind.conf`;

function findingHere(user: string, lingers: boolean): Finding {
  const before = lingers ? '' : `run loginctl enable-linger ${user} once; then `;
  const action = `${before}start helios or code in a scope of its own, for example: systemd-run --user --scope helios. ${allowed(user)}.`;
  const name = 'logout';
  const what = 'Logging out here ends all your processes, including runs and background work';
  return lingers
    ? note(
        name,
        `${what}, unless they were started in a separate scope (KillUserProcesses=yes).`,
        action,
      )
    : warning(name, `${what} (KillUserProcesses=yes).`, action);
}

const findingThere = (id: string, user: string): Finding =>
  warning(
    id,
    'Your processes end at logout (KillUserProcesses=yes), so runs end when the connection breaks.',
    `${allowed(user)}.`,
  );
