/**
 * The programs and subcommands that are refused in every permission mode, whatever files they use.
 */
import type { ShellWord } from '../../shell/shellCommand.ts';

interface Refusal {
  readonly reason: string;
  readonly programs: ReadonlySet<string>;
  /** Matches the arguments, joined by spaces. Omitted: all arguments match. */
  readonly rest?: RegExp;
}

const refusal = (reason: string, programs: string, rest?: RegExp): Refusal => ({
  reason,
  programs: new Set(programs.split(' ')),
  ...(rest && { rest }),
});

const printsKey = 'prints a key or a password';
const changesSystem = 'changes the system for all its users';
const startsLater = 'writes what the system starts';

const refusals: readonly Refusal[] = [
  refusal(
    'formats or partitions a disk',
    'mkfs mke2fs wipefs fdisk sfdisk cfdisk parted sgdisk mkswap blkdiscard hdparm cryptsetup',
  ),
  refusal(printsKey, 'gh glab', /^auth (?:token|status .*(?:-t|--show-token))/),
  refusal(printsKey, 'gcloud', /\bprint-(?:access|identity)-token\b/),
  refusal(
    printsKey,
    'aws',
    /^configure (?:export-credentials|get \S*(?:secret|token))|^sts (?:get-session|get-federation|assume-role)/,
  ),
  refusal(printsKey, 'az', /\bget-access-token\b/),
  refusal(printsKey, 'kubectl', /^config view\b.*--raw|^get secrets?\b.*(?:-o|--output)/),
  refusal(printsKey, 'gpg gpg2', /--export-secret/),
  refusal(printsKey, 'security', /^(?:find-\S+-password|dump-keychain|export)/),
  refusal(printsKey, 'pass gopass', /^(?:show\b|-c\b|[^-]\S*\/)/),
  refusal(printsKey, 'secret-tool', /^(?:lookup|search)/),
  refusal(printsKey, 'vault', /^(?:kv get|read|token)/),
  refusal(printsKey, 'op', /^(?:read|item get|document get)/),
  refusal('shows the environment of processes', 'ps', /^[a-zA-Z]*e[a-zA-Z]*(?: |$)/),
  refusal(
    'asks the cloud for credentials of this computer',
    'curl wget http https aria2c nc ncat netcat telnet',
    /169\.254\.169\.254|\[?fd00:ec2::254|100\.100\.100\.200|metadata\.(?:google\.)?internal/,
  ),
  refusal(
    changesSystem,
    'shutdown reboot halt poweroff telinit useradd userdel usermod groupadd passwd chpasswd ' +
      'visudo vipw insmod modprobe rmmod setcap iptables ip6tables nft swapoff',
  ),
  refusal(changesSystem, 'chmod', /(?:^| )(?:u?\+[rwx]*s|[46]\d{3})(?: |$)/),
  refusal(changesSystem, 'kill', /(?:^| )-1$/),
  refusal(startsLater, 'update-rc.d chkconfig'),
  refusal(startsLater, 'at', /^(?:-[a-z]|now|noon|midnight|teatime|tomorrow|\d)/),
  refusal(startsLater, 'systemctl', /(?:^| )(?:enable|link|add-wants|edit|set-default)(?: |$)/),
  refusal(startsLater, 'launchctl', /^(?:load|bootstrap|submit|enable)/),
  refusal(startsLater, 'loginctl', /^enable-linger/),
];

/**
 * Subcommands of Helios that only read. Anything else may start an agent or give it more rights.
 */
const readsHelios =
  /^(?:--version|-v|--help|-h|help|sessions|watch|replay|report|search|export|doctor|may|actions|models)(?: |$)/;

/** Returns why a program with these arguments is refused, as the rest of a sentence. */
export function refusedProgram(
  program: ShellWord | undefined,
  rest: readonly ShellWord[],
): string | undefined {
  // A file such as /etc/passwd keeps its path, so that it is not taken for the program `passwd`.
  const name = program?.text.replace(/^\/(?:usr\/(?:local\/)?)?s?bin\//, '') ?? '';
  const words = rest.map(({ text }) => text).join(' ');
  if (name === 'helios' && !readsHelios.test(words))
    return 'starts an agent, or gives the agent more rights';
  if (/^mkfs\./.test(name)) return refusals[0]?.reason;
  return refusals.find(
    ({ programs, rest: wanted }) => programs.has(name) && wanted?.test(words) !== false,
  )?.reason;
}
