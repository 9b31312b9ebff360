/** Programs that show the state of the computer, its processes and its scheduler. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import type { Arguments } from './options.ts';
import { isList as isListed, isNumber, isPrintable } from '../values/possibleTexts.ts';
import { names, nothing, text, textOf, type Reader } from './reader.ts';

/**
 * Matches arguments with which `ip` shows something, of all devices or of one. It reads other words
 * as the beginning of a command: `ip a a` adds an address.
 */
const ipObjects =
  /^(?:a|addr|address|l|link|n|neigh|r|route)(?: (?:show|list|ls)(?: (?:dev )?(?:lo|(?:eth|en|wl|ib|br|docker)[\w-]*))?)?$/;

const device = /^(?:lo|(?:eth|en|wl|ib|br|docker|bond)[\w-]*)$/;

const packageProblem: Reader['problem'] = ({ names: given }) =>
  given.size > 0 ? undefined : 'may change packages';

const ofProcess: Reader['problem'] = ({ names: given, operands }) =>
  given.has('-p') && operands.length === 1 && /^\d+$/.test(operands[0]?.text ?? '')
    ? undefined
    : 'runs another command, or changes a process';

export const systemReaders: Readonly<Record<string, Reader>> = {
  ulimit: text('a H S c d e f i l m n p q r s t u v x', nothing),
  dmesg: text('T H L t x k l: f: e d --ctime --level= --facility= --human --decode', nothing),
  // Without `-k`, it shows logs of services, which may hold secrets.
  journalctl: text(
    'k r x n: S: U: p: o: g: b? # --dmesg --reverse --no-pager --since= --until= --lines= ' +
      '--priority= --output= --grep= --boot --utc --no-hostname',
    ({ names: given, operands }) =>
      (given.has('-k') || given.has('--dmesg')) &&
      operands.every(({ text: each, isDynamic }) => !isDynamic && /^\d$/.test(each))
        ? undefined
        : 'shows logs of the system',
  ),
  ss: text('t u l n p a e o m i s x 4 6 H r w', ({ operands }) =>
    operands.length > 0 ? 'takes arguments that are not known to be harmless' : undefined,
  ),
  pwd: text('L P', nothing),
  whoami: text('', nothing),
  id: text('g G n r u z --group --groups --name --user'),
  groups: text(''),
  hostname: text('s f d i I A --short --fqdn --domain --ip-address --all-ip-addresses', nothing),
  uname: text(
    'a s n r v m p i o --all --kernel-name --nodename --kernel-release --machine ' +
      '--operating-system',
    nothing,
  ),
  arch: text('', nothing),
  uptime: text('p s --pretty --since', nothing),
  date: text(
    'u R I -Idate -Ihours -Iminutes -Iseconds -Ins d: r@ --utc --rfc-email --iso-8601 --date= --rfc-3339= --reference@',
    ({ operands }) =>
      operands.every(({ text: each }) => each.startsWith('+')) ? undefined : 'sets the clock',
  ),
  cal: text('1 3 y m j'),
  nproc: text('--all --ignore=', nothing),
  free: text('b k m g h w t l --bytes --kilo --mega --giga --human --wide --total --si', nothing),
  lscpu: text('a b c J e p x y --extended --json --all --online --parse', nothing),
  lsblk: text('a b d f i J l m n o: p r t --all --bytes --fs --json --list --output= --paths'),
  lspci: text('v k n m nn vv s: d: t', nothing),
  numactl: text('H s --hardware --show', nothing),
  ps: text(
    'A f F l j w ww L H p: u: U: o: C: t: ef e --forest --sort= --pid= --ppid= --user= ' +
      '--no-headers --format= --width=',
    psProblem,
  ),
  pgrep: text(
    'a f l u: U: x n o c d: P: t: i --list-name --list-full --full --count --euid= --exact ' +
      '--newest --oldest --parent=',
  ),
  pidof: text('s x o:'),
  // Signal 0 only asks whether the process exists.
  kill: { ...text('0 l', killProblem), printsOperands: true },
  jobs: text('l n p r s', nothing),
  // The operands are files. A name of a host in `-i` would be looked up at another host.
  lsof: names('i: p: u: c: s? n P t a U w', ({ operands, values, unknown }) =>
    operands.every(({ text: each, isDynamic }) => !isDynamic && !each.startsWith('+')) &&
    !unknown.has('-i') &&
    (values.get('-i') ?? []).every((each) => !each.includes('@'))
      ? undefined
      : 'takes arguments that are not known to be harmless',
  ),
  netstat: text('t u l n p a r i s e x 4 6 W', nothing),
  ip: text('4 6 s d j o -br --brief', (call) =>
    call.operands.length === 0 || ipObjects.test(textOf(call.operands))
      ? undefined
      : 'may change the network',
  ),
  who: text('a b d H l q r s t u m', nothing),
  w: text('h s f i', nothing),
  last: text('n: # a d F i w x R'),
  sensors: text('u f j A', nothing),
  lsmod: text('', nothing),
  findmnt: text('l n o: t: D r J --df --json --list --output= --types='),
  mount: text('l t:', nothing),
  quota: text('s u g v', nothing),
  getconf: text('a'),
  locale: text('a m k', nothing),
  lsb_release: text('a i d r c s', nothing),
  vmstat: text('a d s S: w t n # --unit= --wide --timestamp', countProblem),
  iostat: text('c d h k m x y z p: # ', countProblem),
  mpstat: text('A P: u n #', countProblem),
  lsusb: text('v t s: d:', nothing),
  lsns: text('l n o: p: r t: J --json --list --output= --type=', nothing),
  lslocks: text('n o: p: r u J --json --output=', nothing),
  lsipc: text('m q s g n o: t J --json --output=', nothing),
  pstree: text('a A c g h l n p s t u U'),
  pmap: text('x d q X'),
  pwdx: text(''),
  ifconfig: text('a s', ({ operands }) =>
    operands.length <= 1 && operands.every(({ text: each }) => device.test(each))
      ? undefined
      : 'may change the network',
  ),
  getent: text('', ({ operands }) =>
    /^(?:passwd|group|services|protocols|networks)$/.test(operands[0]?.text ?? '')
      ? undefined
      : 'may contact another host',
  ),
  sysctl: text('n e N', ({ operands }) =>
    operands.length > 0 && operands.every(({ text: each }) => /^\w+(?:[./]\w+)+$/.test(each))
      ? undefined
      : 'takes arguments that are not known to be harmless',
  ),
  hostnamectl: text('', nothing),
  timedatectl: text('', nothing),
  // With a second operand, these programs change the process.
  taskset: text('p c', ofProcess),
  chrt: text('p', ofProcess),
  ionice: text('p', ofProcess),
  logname: text('', nothing),
  tty: text('s', nothing),
  stty: text('a', ({ operands }) =>
    operands.every(({ text: each }) => each === 'size') ? undefined : 'changes the terminal',
  ),
  tput: text('', ({ operands }) =>
    operands.length === 1 && /^(?:cols|lines|colors)$/.test(operands[0]?.text ?? '')
      ? undefined
      : 'changes the terminal',
  ),
  // Package managers.
  dpkg: text('l L s S p --list --listfiles --status --search --print-architecture', packageProblem),
  'dpkg-query': text(
    'W l L s S f: --show --list --listfiles --status --search --showformat=',
    packageProblem,
  ),
  rpm: text('q a i l c d R --query --all --info --list --requires --last', (call) =>
    (call.names.has('-q') || call.names.has('--query')) &&
    call.operands.every(({ text: each }) => /^[\w.+-]+$/.test(each))
      ? undefined
      : 'may change packages',
  ),
  top: text('b n: H i c o: p: u: d: w:', ({ names: given }) =>
    given.has('-b') && given.has('-n') ? undefined : 'does not end on its own: use top -b -n 1',
  ),
  'nvidia-smi': text(
    'L q d: i: x m c: s: --list-gpus --query --query-gpu= --query-compute-apps= ' +
      '--status --query-accounted-apps= --format= --id= --display= --xml-format --help-query-gpu',
    smiProblem,
  ),
  gpustat: text(
    'c p u F P e a cp cpu --json --no-color --no-header --show-cmd --show-user --show-pid ' +
      '--show-power --show-fan',
    nothing,
  ),
  'rocm-smi': text(
    'a i t f g u P --showuse --showmemuse --showtemp --showpower --showid --json --showmeminfo=',
    nothing,
  ),
  // Schedulers.
  squeue: text(
    'a A: h j: l M: n: o: O: p: r R: s S: t: u: w: --me --start --array --account= --format= ' +
      '--Format= --json --jobs= --long --name= --noheader --nodelist= --partition= --sort= ' +
      '--states= --steps --user= --users=',
  ),
  sinfo: text(
    'a d e h l M: n: N o: O: p: r R s S: t: T v --all --exact --format= --Format= --json --long ' +
      '--Node --nodes= --noheader --partition= --reservation --responding --list-reasons ' +
      '--summarize --sort= --states=',
  ),
  sacct: text(
    'a A: b D e E: h j: l M: n N: o: O p P q: r: s: S: T u: X --allocations --allusers ' +
      '--brief --duplicates --endtime= --format= --jobs= --json --long --name= --nodelist= ' +
      '--noheader --parsable --parsable2 --partition= --starttime= --state= --user= --units= ' +
      '--delimiter=',
  ),
  sprio: text('h j: l n o: p: u: w --jobs= --long --users='),
  sshare: text('a A: h l n o: p P u: U --all --accounts= --long --format= --users='),
  sstat: text('a e j: n o: p P --allsteps --format= --jobs= --noheader --parsable --parsable2'),
  // `-f` is missing from the list, because it shows the environment of jobs.
  qstat: text('a i n q r s u: x G t w'),
  bjobs: text('a d l p r s u: w X q: m: J: o: noheader'),
};

/**
 * Returns a problem if `nvidia-smi` may change a GPU. `-c` is a count for `dmon` and `pmon`;
 * otherwise it sets the mode of a GPU.
 */
function smiProblem(
  { operands, values }: Arguments,
  words: readonly ShellWord[],
): string | undefined {
  const counts = values.get('-c') ?? [];
  const known = counts.length > 0 ? /^[dp]mon$/ : /^(?:topo|nvlink)$/;
  const isHarmless =
    !words.some(({ text: each }) => /^-+mig/.test(each)) &&
    operands.length >= Math.min(counts.length, 1) &&
    operands.every(({ text: each }) => known.test(each)) &&
    counts.every((each) => /^\d{1,4}$/.test(each)) &&
    ![...values.values()].flat().some((each) => each.startsWith('-'));
  return isHarmless ? undefined : 'takes arguments that are not known to be harmless';
}

/**
 * Returns a problem if `ps` may show the environment of processes: with an `e` among options that
 * have no dash.
 */
function psProblem(
  { operands, values, unknown }: Arguments,
  words: readonly ShellWord[],
): string | undefined {
  // `ps -uNAME`: `ps` reads NAME as options if there is no such user.
  const isJoined = words.some(({ text: each }) => /^-[a-zA-Z]*[uU]./.test(each));
  const columns = ['-o', '--format'].flatMap((name) => values.get(name) ?? []);
  const unclear = operands.find(({ text: each }) => !/^(?:[ajlruxfwhT]+|\d+(?:,\d+)*)$/.test(each));
  const areKnown = !['-o', '--format'].some((name) => unknown.has(name));
  return unclear === undefined &&
    !isJoined &&
    areKnown &&
    !columns.some((each) => /env/i.test(each))
    ? undefined
    : 'may show the environment of processes';
}

/**
 * Returns a problem unless `kill` sends signal 0 to processes. A second option could set another
 * signal, so nothing but numbers may follow, or a single text: alone, it can only be a process.
 */
function killProblem(
  { operands, unknown }: Arguments,
  words: readonly ShellWord[],
): string | undefined {
  const [first, ...rest] = words;
  const isList = words.length === 1 && first?.text === '-l';
  const areProcesses =
    rest.every((word) => (word.isDynamic ? isNumber(word) : /^\d+$/.test(word.text))) ||
    (rest.length === 1 && rest[0] !== undefined && isPrintable(rest[0]) && !isListed(rest[0]));
  const isAsked = first?.text === '-0' && operands.length === rest.length && rest.length > 0;
  return isList || (isAsked && areProcesses && unknown.size === 0) ? undefined : 'ends processes';
}

/**
 * Returns a problem if the program does not end on its own: `vmstat 1` runs forever, `vmstat 1 5`
 * ends.
 */
function countProblem({ operands }: Arguments): string | undefined {
  return operands.length === 1 ? 'does not end on its own: give a count' : undefined;
}
