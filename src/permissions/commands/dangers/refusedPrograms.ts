/**
 * The programs and subcommands that are refused in every permission mode, whatever files they use.
 */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { showsEnvironment, topShowsEnvironment } from './processEnvironment.ts';

interface Refusal {
  readonly reason: string;
  readonly programs: ReadonlySet<string>;
  /** Returns true for the arguments that are refused. */
  matches(words: readonly string[]): boolean;
}

/** Creates a refusal. `rest` matches the arguments, joined by spaces; omitted: all arguments. */
const refusal = (reason: string, programs: string, rest?: RegExp): Refusal =>
  refusalOf(reason, programs, (words) => rest?.test(words.join(' ')) !== false);

const refusalOf = (reason: string, programs: string, matches: Refusal['matches']): Refusal => ({
  reason,
  programs: new Set(programs.split(' ')),
  matches,
});

const printsKey = 'prints a key or a password';
const showsProcesses = 'shows the environment of processes';
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
  refusal(printsKey, 'hf huggingface-cli', /^auth (?:\S+ )*token(?: |$)|^(?:-\S+ )*token(?: |$)/),
  refusal(printsKey, 'scontrol', /^(?:-\S+ )*token\b/),
  refusal(
    printsKey,
    'git',
    /^(?:-[cC] \S+ |-\S+ )*credential(?:-[a-z-]+)? (?:\S+ )*(?:fill|get)(?: |$)/,
  ),
  refusal(printsKey, 'npm pnpm yarn', /^(?:-\S+ )*token(?: |$)|^config get \S*_(?:auth|password)/i),
  refusalOf(showsProcesses, 'ps', showsEnvironment),
  refusalOf(showsProcesses, 'docker podman nerdctl', topShowsEnvironment),
  refusal(
    'reads a disk or the memory of the computer',
    'cat tac head tail dd cp less more gzip zstd xz od xxd hexdump strings base64 md5sum ' +
      'sha1sum sha256sum sha512sum cmp pv',
    /(?:^|[ =])(?:\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|dm-|md\d|mapper\/.|disk\/|k?mem|port)|\/proc\/k(?:core|mem))/,
  ),
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
  refusal(
    changesSystem,
    'systemctl',
    /^(?!.*--user(?: |$))(?:-\S+ )*(?:stop|start|(?:try-|reload-or-)?restart|reload|kill|mask|disable|isolate|poweroff|reboot|halt|suspend|hibernate|daemon-re\w+|set-\w+|reset-failed)(?: |$)/,
  ),
  refusal(changesSystem, 'service', /^\S+ (?:stop|start|restart|reload)\b/),
  refusal(changesSystem, 'sysctl', /(?:^| )(?:-[a-zA-Z]*[wpf]|--(?:write|load|system)\b|[\w./]+=)/),
  refusal(changesSystem, 'mount', /(?:^|[ ,=])remount\b/),
  refusal(changesSystem, 'timedatectl hostnamectl localectl', /(?:^| )(?:set-\w+|hostname \S)/),
  refusal(changesSystem, 'date', /(?:^| )(?:-u?s|--set(?:=| |$))|^(?:(?:-u|--utc) )?\d{8}/),
  refusal(changesSystem, 'hwclock', /(?:^| )(?:-[a-z]*[ws]|--(?:set|systohc|hctosys))/),
  refusal(changesSystem, 'ip', /(?:^| )(?:set|add|del|delete|change|replace|append|flush)(?: |$)/),
  refusal(changesSystem, 'ifconfig', /^[^-\s]\S* (?:up|down|\d|netmask|mtu|add|del|hw|-?promisc)/),
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
  const words = rest.map(({ text }) => text);
  if (name === 'helios' && !readsHelios.test(words.join(' ')))
    return 'starts an agent, or gives the agent more rights';
  if (/^mkfs\./.test(name)) return refusals[0]?.reason;
  return refusals.find(({ programs, matches }) => programs.has(name) && matches(words))?.reason;
}
