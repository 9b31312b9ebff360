/** The programs that only read, each with the options that keep it so. */
import type { ShellWord } from '../../shell/shellCommand.ts';
import type { Arguments, OptionList } from './options.ts';
import { awkProblem, jqProblem, sedProblem } from './filterScripts.ts';

export interface Reader {
  readonly options: OptionList;
  /**
   * - `content`: the operands are files that are read
   * - `names`: the operands are paths of which names, sizes and times are read
   * - `text`: the operands are no paths
   * - `script`: the first operand is a pattern or script, unless an option gives it; the others
   *   are files that are read
   */
  readonly operands: 'content' | 'names' | 'text' | 'script';
  /** Options that give the script in place of the first operand. */
  readonly scriptOptions?: readonly string[];
  /**
   * Returns why a call does more than read; `undefined` if it only reads. `words` are the arguments as
   * written.
   */
  problem?(call: Arguments, words: readonly ShellWord[]): string | undefined;
}

const content = (options: OptionList, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'content',
  ...(problem && { problem }),
});
const names = (options: OptionList, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'names',
  ...(problem && { problem }),
});
const text = (options: OptionList, problem?: Reader['problem']): Reader => ({
  options,
  operands: 'text',
  ...(problem && { problem }),
});
/** A second operand, or a pattern with several matches, is written. */
const single: Reader['problem'] = ({ operands }) =>
  operands.length > 1 || operands.some(({ isDynamic }) => isDynamic)
    ? 'writes its second file'
    : undefined;
const nothing: Reader['problem'] = ({ operands }) =>
  operands.length > 0 ? 'takes arguments that are not known to be harmless' : undefined;

const grepOptions =
  'E F G P i v c l L n o q s h H x w z a I U r T b e: m: A: B: C: f@ d: D: # --help --version --color --colour --include= --exclude= --exclude-dir= --exclude-from@ --count --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --line-number --with-filename --no-filename --only-matching --quiet --silent --recursive --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file@ --max-count= --context= --after-context= --before-context= --files-with-matches --files-without-match --text --binary-files= --null --no-messages --line-buffered --byte-offset --initial-tab';
const grep: Reader = {
  options: grepOptions,
  operands: 'script',
  scriptOptions: ['-e', '-f', '--regexp', '--file'],
};
const sums = 'b t z w --binary --text --tag --zero';

const conditions =
  'e f d r w x s L h n z b c p S g u k O G N t nt ot ef eq ne lt le gt ge a o -nt -ot -ef -eq -ne -lt -le -gt -ge';

/** What `ip` shows, and of what. */
const shownByIp =
  /^(?:a|addr|address|l|link|n|neigh|r|route|show|list|ls|dev|lo|(?:eth|en|wl|ib|br|docker)[\w-]*)$/;

const readers: Readonly<Record<string, Reader>> = {
  // Files.
  cat: content(
    'A b e E n s t T u v --show-all --number --number-nonblank --squeeze-blank --show-ends --show-tabs --show-nonprinting',
  ),
  tac: content('b r s: --before --regex --separator='),
  nl: content('b: d: f: h: i: l: n: p s: v: w: --body-numbering= --number-format= --number-width='),
  head: content('n: c: q v z # --lines= --bytes= --quiet --silent --verbose --zero-terminated'),
  tail: content(
    'n: c: q v z f F s: # --lines= --bytes= --quiet --silent --verbose --follow --pid= --sleep-interval= --retry --zero-terminated',
    ({ names: given, operands }) =>
      ['-f', '-F', '--follow', '--retry'].some((name) => given.has(name)) ||
      operands.some(({ text }) => text.startsWith('+'))
        ? 'does not end by itself: read the end of the file, such as tail -n 50'
        : undefined,
  ),
  wc: content('c m l w L --bytes --chars --lines --words --max-line-length --total='),
  cut: content(
    'b: c: d: f: n s z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated',
  ),
  paste: content('d: s z --delimiters= --serial --zero-terminated'),
  sort: content(
    'b d f g h i M n R r V c C m s u z k: t: S: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort --random-sort --reverse --version-sort --key= --field-separator= --stable --unique --check --zero-terminated --parallel= --sort=',
  ),
  uniq: content(
    'c d D i u z f: s: w: --count --repeated --all-repeated --ignore-case --unique --skip-fields= --skip-chars= --check-chars= --zero-terminated',
    single,
  ),
  comm: content('1 2 3 i --check-order --nocheck-order --output-delimiter= --total'),
  join: content('1: 2: a: e: i j: o: t: v: --header --check-order --nocheck-order'),
  diff: content(
    'q s c C: u U: e n y W: p t T N i E Z b w B a d F: I: x: L: # --brief --report-identical-files --context --unified --side-by-side --width= --new-file --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --color --suppress-common-lines --exclude= --no-dereference --minimal --label= --strip-trailing-cr --from-file@ --to-file@',
  ),
  cmp: content('b i: l n: s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent'),
  column: content(
    't s: o: c: x n: N: R: --table --separator= --output-separator= --columns= --table-columns= --json',
  ),
  fold: content('b s w: --bytes --spaces --width='),
  fmt: content('w: u s --width='),
  expand: content('i t: --tabs='),
  unexpand: content('a t: --tabs='),
  rev: content(''),
  od: content(
    'A: j: N: S: t: v w a b c d f i l o s x --address-radix= --skip-bytes= --read-bytes= --format= --width',
  ),
  hexdump: content('b c C d o x v n: s:'),
  xxd: content('l: s: c: g: b u p ps i', (_call, words) =>
    // Its options end with the first file; a second file is written.
    /^(?:-(?:[lscg] \d+|b|u|p|ps|i)(?: |$))*(?:[^- ][^ ]*)?$/.test(textOf(words)) &&
    words.every(({ isDynamic }) => !isDynamic)
      ? undefined
      : 'may write a file',
  ),
  strings: content('a f n: t: e: # --all --bytes= --radix= --encoding=', ({ operands }) =>
    operands.some(({ text, isDynamic }) => isDynamic || text.startsWith('@'))
      ? 'reads arguments from a file'
      : undefined,
  ),
  zcat: content('f'),
  xzcat: content('f'),
  bzcat: content('f'),
  zstdcat: content('f'),
  gzip: content('c d f l q v --stdout --decompress --list', toOutput),
  gunzip: content('c f l q --stdout --list', toOutput),
  tar: {
    options: 't v z j J a f@ --list --verbose --gzip --bzip2 --xz --zstd --file@ --wildcards',
    operands: 'text',
    problem: tarProblem,
  },
  unzip: content('l v Z 1 z q', (_call, [first]) =>
    // All words after the archive are names of its files, even those with a dash.
    /^-[vzq1]*[lZ][vzq1]*$/.test(first?.text ?? '') ? undefined : 'writes files',
  ),
  zipinfo: content('1 2 s m l v h t'),
  shuf: content('n: e i: z --head-count= --echo --input-range= --zero-terminated'),
  b2sum: content(sums),
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rg: {
    options:
      'i s S v c l n N o q w x F P U e: f@ g: t: T: m: A: B: C: M: j: d: H I . a p --hidden --no-ignore --glob= --iglob= --type= --type-not= --type-list --files --color= --colors= --count --count-matches --files-with-matches --files-without-match --ignore-case --smart-case --case-sensitive --invert-match --word-regexp --line-regexp --fixed-strings --multiline --only-matching --max-count= --max-depth= --max-columns= --context= --after-context= --before-context= --no-heading --heading --line-number --no-line-number --no-filename --with-filename --json --stats --sort= --sortr= --pcre2 --regexp= --file@ --trim --quiet --vimgrep --column --text',
    operands: 'script',
    scriptOptions: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'],
  },
  sed: {
    options:
      'n E r s u z e: l: --quiet --silent --regexp-extended --expression= --separate --unbuffered --null-data --posix',
    operands: 'script',
    scriptOptions: ['-e', '--expression'],
    problem: sedProblem,
  },
  awk: {
    options: 'F: v: --field-separator= --assign= --posix',
    operands: 'script',
    problem: awkProblem,
  },
  jq: {
    options:
      'r c s n S e a j C M R --raw-output --compact-output --slurp --null-input --sort-keys --exit-status --raw-input --tab --indent= --monochrome-output --color-output',
    operands: 'script',
    problem: jqProblem,
  },
  fd: {
    options:
      'H I a l s i e: t: d: E: g F p 0 1 q --hidden --no-ignore --extension= --type= --max-depth= --exclude= --glob --fixed-strings --absolute-path --full-path --color=',
    operands: 'script',
  },
  cloc: content('--json --csv --quiet --by-file --exclude-dir= --include-lang='),
  // Names, sizes and times.
  ls: names(
    'a A l h t r R S s 1 d F i X c u C m x g G n o p q k B b Q U v N D Z H f w: I: T: --all --almost-all --human-readable --color --sort= --time= --time-style= --reverse --recursive --size --directory --classify --full-time --group-directories-first --si --inode --ignore= --hide= --format= --no-group --numeric-uid-gid --width= --zero --block-size= --author --file-type',
  ),
  tree: names(
    'a d f i x L: P: I: p s h D u g t c r C n F J N q Q --prune --du --dirsfirst --noreport --filelimit= --si --gitignore --charset= --timefmt= --sort= --matchdirs --ignore-case',
    treeProblem,
  ),
  du: names(
    'a b c h k m s x P S l d: t: B: 0 --all --apparent-size --human-readable --si --summarize --total --max-depth= --exclude= --block-size= --one-file-system --time --threshold= --bytes --separate-dirs --inodes',
  ),
  df: text(
    'a h H i k l m P T t: x: B: --all --human-readable --si --inodes --local --print-type --type= --exclude-type= --total --output --block-size= --portability',
  ),
  stat: names('L f t c: --dereference --file-system --format= --printf= --terse'),
  file: names(
    'b i L k h p s --brief --mime --mime-type --mime-encoding --dereference --no-dereference',
  ),
  realpath: names(
    'e m L P q s z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --no-symlinks --relative-to@ --relative-base@ --zero',
  ),
  readlink: names(
    'f e m n q s v z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --zero',
  ),
  md5sum: content(sums),
  sha1sum: content(sums),
  sha256sum: content(sums),
  sha512sum: content(sums),
  cksum: content(''),
  test: names(conditions),
  '[': names(conditions),
  // Text.
  // A line of dashes is text.
  echo: text('n e E --- ---- ----- ------ -------- ----------'),
  printf: text('', printfProblem),
  true: text(''),
  false: text(''),
  ':': text(''),
  sleep: text('', ({ operands }) =>
    operands.every(({ text: each }) => /^[\d.]{1,4}s?$/.test(each)) ? undefined : 'waits for long',
  ),
  seq: text('f: s: w # --format= --separator= --equal-width', ({ operands }) =>
    operands.every(({ text: each }) => /^-?[\d.]{1,7}$/.test(each)) ? undefined : 'may not end',
  ),
  expr: text(''),
  basename: text('a s: z --multiple --suffix= --zero'),
  dirname: text('z --zero'),
  tr: text('c C d s t --complement --delete --squeeze-repeats --truncate-set1'),
  which: text('a --all'),
  type: text('a t p P f'),
  command: text('v V', ({ names: given }) =>
    given.has('-v') || given.has('-V') ? undefined : 'runs another command',
  ),
  numfmt: text(
    'd: z --to= --from= --field= --format= --suffix= --padding= --header --delimiter= --round= --to-unit= --from-unit= --grouping',
  ),
  // The computer and its processes.
  ulimit: text('a H S c d e f i l m n p q r s t u v x', nothing),
  dmesg: text('T H L t x k l: f: e d --ctime --level= --facility= --human --decode', nothing),
  ss: text('t u l n p a e o m i s x 4 6 H r w', ({ operands }) =>
    operands.length > 0 ? 'takes arguments that are not known to be harmless' : undefined,
  ),
  pwd: text('L P', nothing),
  whoami: text('', nothing),
  id: text('g G n r u z --group --groups --name --user'),
  groups: text(''),
  hostname: text('s f d i I A --short --fqdn --domain --ip-address --all-ip-addresses', nothing),
  uname: text(
    'a s n r v m p i o --all --kernel-name --nodename --kernel-release --machine --operating-system',
    nothing,
  ),
  arch: text('', nothing),
  uptime: text('p s --pretty --since', nothing),
  date: text(
    'u R I d: r@ --utc --rfc-email --iso-8601 --date= --rfc-3339= --reference@',
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
    'A f F l j w ww L H p: u: U: o: C: t: ef e --forest --sort= --pid= --ppid= --user= --no-headers --format= --width=',
    psProblem,
  ),
  pgrep: text(
    'a f l u: U: x n o c d: P: t: i --list-name --list-full --full --count --euid= --exact --newest --oldest --parent=',
  ),
  pidof: text('s x o:'),
  lsof: text('i: p: u: c: n P t a U w', ({ operands }) =>
    operands.every(({ text: each }) => /^:\d+$/.test(each))
      ? undefined
      : 'takes arguments that are not known to be harmless',
  ),
  netstat: text('t u l n p a r i s e x 4 6 W', nothing),
  ip: text('4 6 s d j o -br --brief', ({ operands }) =>
    operands.every(({ text: each }) => shownByIp.test(each)) ? undefined : 'may change the network',
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
  vmstat: text('a d s S: w t n # --unit= --wide --timestamp', countedProblem),
  iostat: text('c d h k m x y z p: # ', countedProblem),
  top: text('b n: H i c o: p: u: d: w:', ({ names: given }) =>
    given.has('-b') && given.has('-n') ? undefined : 'does not end by itself: use top -b -n 1',
  ),
  'nvidia-smi': text(
    'L q d: i: x m c: s: --list-gpus --query --query-gpu= --query-compute-apps= --query-accounted-apps= --format= --id= --display= --xml-format --help-query-gpu',
    smiProblem,
  ),
  gpustat: text(
    'c p u F P e a cp cpu --json --no-color --no-header --show-cmd --show-user --show-pid --show-power --show-fan',
    nothing,
  ),
  'rocm-smi': text(
    'a i t f g u P --showuse --showmemuse --showtemp --showpower --showid --json --showmeminfo=',
    nothing,
  ),
  // Schedulers.
  squeue: text(
    'a A: h j: l M: n: o: O: p: r R: s S: t: u: w: --me --start --array --account= --format= --Format= --json --jobs= --long --name= --noheader --nodelist= --partition= --sort= --states= --steps --user= --users=',
  ),
  sinfo: text(
    'a d e l M: n: N o: O: p: r R s S: t: T v --all --exact --format= --Format= --json --long --Node --nodes= --noheader --partition= --reservation --responding --list-reasons --summarize --sort= --states=',
  ),
  sacct: text(
    'a A: b B D e E: h j: l M: n N: o: O p P q: r: s: S: T u: X --allocations --allusers --brief --duplicates --endtime= --format= --jobs= --json --long --name= --nodelist= --noheader --parsable --parsable2 --partition= --starttime= --state= --user= --units= --delimiter=',
  ),
  sprio: text('h j: l n o: p: u: w --jobs= --long --users='),
  sshare: text('a A: h l n o: p P u: U --all --accounts= --long --format= --users='),
  sstat: text('a e j: n o: p P --allsteps --format= --jobs= --noheader --parsable --parsable2'),
  qstat: text('a f i n q r s u: x G t w'),
  bjobs: text('a d l p r s u: w X q: m: J: o: noheader'),
};

/** In a cluster, tree takes the value of an option from the next word. */
function treeProblem(_call: Arguments, words: readonly ShellWord[]): string | undefined {
  const options = words.filter(({ text: each }) => /^-[^-]/.test(each));
  return options.every(({ text: each }) => /^-(?:[^LPI]+|[LPI])$/.test(each))
    ? undefined
    : 'may write a file';
}

const textOf = (words: readonly ShellWord[]): string =>
  words.map(({ text: each }) => each).join(' ');

/** `%n` sets a variable, and the width `*` is an operand. */
function printfProblem({ names: given, operands }: Arguments): string | undefined {
  if (given.has('-v')) return 'sets a variable';
  const [format] = operands;
  const known = /^(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d+)?[bcdeEfgGioqsuxX])*$/;
  return format === undefined || (known.test(format.text) && !format.isDynamic)
    ? undefined
    : 'may set a variable';
}

/** `-c` is a count for `dmon` and `pmon`, and the mode of a GPU elsewhere. */
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
    counts.every((each) => /^\d{1,4}$/.test(each));
  return isHarmless ? undefined : 'takes arguments that are not known to be harmless';
}

/** Compresses a file in place unless it writes to the output. */
function toOutput({ names: given }: Arguments): string | undefined {
  const isRead = ['-c', '--stdout', '-l', '--list'].some((name) => given.has(name));
  return isRead ? undefined : 'writes files';
}

/** An archive named like `host:file` is on another host. */
function tarProblem({ names: given, paths }: Arguments): string | undefined {
  if (!given.has('-t') && !given.has('--list')) return 'writes files';
  return paths.length === 0 || paths.some(({ text: each }) => each.includes(':'))
    ? 'may read from another host'
    : undefined;
}

/** Options that print the environment of processes begin with an `e` that no dash precedes. */
function psProblem(
  { operands, values }: Arguments,
  words: readonly ShellWord[],
): string | undefined {
  // A user that does not exist is read as options.
  const isJoined = words.some(({ text: each }) => /^-[a-zA-Z]*[uU]./.test(each));
  const columns = ['-o', '--format'].flatMap((name) => values.get(name) ?? []);
  const unclear = operands.find(({ text: each }) => !/^(?:[ajlruxfwhT]+|\d+(?:,\d+)*)$/.test(each));
  return unclear === undefined && !isJoined && !columns.some((each) => /env/i.test(each))
    ? undefined
    : 'may show the environment of processes';
}

/** `vmstat 1` never ends, and `vmstat 1 5` does. */
function countedProblem({ operands }: Arguments): string | undefined {
  return operands.length === 1 ? 'does not end by itself: give a count' : undefined;
}

/** Returns the reader named `program`; `undefined` if the program may do more than read. */
export const readerOf = (program: string): Reader | undefined =>
  Object.hasOwn(readers, program) ? readers[program] : undefined;
