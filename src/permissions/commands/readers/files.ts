/** Programs that read files, or their names, sizes and times. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { extraReaders } from './extras.ts';
import { awkProblem, jqProblem, sedProblem, yqProblem } from './filterScripts.ts';
import type { Arguments } from './options.ts';
import {
  atFile,
  content,
  memberProblem,
  names,
  nothing,
  single,
  text,
  textOf,
  type Reader,
} from './reader.ts';

const grepOptions =
  'E F G P i v c l L n o q s h H x w z a I U r T b e: m: A: B: C: f@ d: D: # --help --version ' +
  '--color --colour --include= --exclude= --exclude-dir= --exclude-from@ --count ' +
  '--ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --line-number ' +
  '--with-filename --no-filename --only-matching --quiet --silent --recursive ' +
  '--extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --file@ ' +
  '--max-count= --context= --after-context= --before-context= --files-with-matches ' +
  '--files-without-match --text --binary-files= --null --no-messages --line-buffered ' +
  '--byte-offset --initial-tab';
const grep: Reader = {
  options: grepOptions,
  operands: 'script',
  scriptOptions: ['-e', '-f', '--regexp', '--file'],
};
const sums = 'b t z w --binary --text --tag --zero';

// With `-r`, the grep that these scripts run would read the current folder.
const archiveGrep: Reader = {
  ...grep,
  problem: ({ names: given }) =>
    ['-r', '-R', '-d', '--recursive'].some((name) => given.has(name))
      ? 'may read a whole folder'
      : undefined,
};
const fd: Reader = {
  options:
    'H I a l s i e: t: d: E: g F p 0 1 q --hidden --no-ignore --extension= --type= ' +
    '--max-depth= --exclude= --glob --fixed-strings --absolute-path --full-path --color=',
  operands: 'script',
};

const conditions =
  'e f d r w x s L h n z b c p S g u k O G N t nt ot ef eq ne lt le gt ge a o -nt -ot -ef -eq ' +
  '-ne -lt -le -gt -ge';

export const fileReaders: Readonly<Record<string, Reader>> = {
  cat: content(
    'A b e E n s t T u v --show-all --number --number-nonblank --squeeze-blank --show-ends ' +
      '--show-tabs --show-nonprinting',
  ),
  ...extraReaders,
  tac: content('b r s: --before --regex --separator='),
  nl: content('b: d: f: h: i: l: n: p s: v: w: --body-numbering= --number-format= --number-width='),
  head: content('n: c: q v z # --lines= --bytes= --quiet --silent --verbose --zero-terminated'),
  tail: content(
    'n: c: q v z f F s: # --lines= --bytes= --quiet --silent --verbose --follow --pid= ' +
      '--sleep-interval= --retry --zero-terminated',
    ({ names: given, operands }) =>
      ['-f', '-F', '--follow', '--retry'].some((name) => given.has(name)) ||
      operands.some(({ text }) => text.startsWith('+'))
        ? 'does not end on its own: read the end of the file, such as tail -n 50'
        : undefined,
  ),
  wc: content('c m l w L --bytes --chars --lines --words --max-line-length --total='),
  cut: content(
    'b: c: d: f: n s z --bytes= --characters= --delimiter= --fields= --complement ' +
      '--only-delimited --output-delimiter= --zero-terminated',
  ),
  paste: content('d: s z --delimiters= --serial --zero-terminated'),
  sort: content(
    'b d f g h i M n R r V c C m s u z k: t: S: --ignore-leading-blanks --dictionary-order ' +
      '--ignore-case --general-numeric-sort --human-numeric-sort --month-sort --numeric-sort ' +
      '--random-sort --reverse --version-sort --key= --field-separator= --stable --unique ' +
      '--check --zero-terminated --parallel= --sort=',
  ),
  uniq: content(
    'c d D i u z f: s: w: --count --repeated --all-repeated --ignore-case --unique ' +
      '--skip-fields= --skip-chars= --check-chars= --zero-terminated',
    single,
  ),
  comm: content('1 2 3 i --check-order --nocheck-order --output-delimiter= --total'),
  join: content('1: 2: a: e: i j: o: t: v: --header --check-order --nocheck-order'),
  diff: content(
    'q s c C: u U: e n y W: p t T N i E Z b w B a d r F: I: x: L: # --brief --recursive ' +
      '--report-identical-files --context --unified --side-by-side --width= --new-file ' +
      '--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text ' +
      '--color --suppress-common-lines --exclude= --no-dereference --minimal --label= ' +
      '--strip-trailing-cr --from-file@ --to-file@',
  ),
  cmp: content('b i: l n: s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent'),
  column: content(
    't s: o: c: x n: N: R: --table --separator= --output-separator= --columns= ' +
      '--table-columns= --json',
  ),
  fold: content('b s w: --bytes --spaces --width='),
  fmt: content('w: u s --width='),
  expand: content('i t: --tabs='),
  unexpand: content('a t: --tabs='),
  rev: content(''),
  od: content(
    'A: j: N: S: t: v w a b c d f i l o s x --address-radix= --skip-bytes= --read-bytes= ' +
      '--format= --width',
  ),
  hexdump: content('b c C d o x v n: s:'),
  xxd: content('l: s: c: g: b u p ps i', (_call, words) =>
    // Allows at most one file, after all options: xxd writes to a second file.
    /^(?:-(?:[lscg] \d+|b|u|p|ps|i)(?: |$))*(?:[^- ][^ ]*)?$/.test(textOf(words)) &&
    words.every(({ isDynamic }) => !isDynamic)
      ? undefined
      : 'may write a file',
  ),
  strings: content('a f n: t: e: # --all --bytes= --radix= --encoding=', atFile),
  zcat: content('f'),
  xzcat: content('f'),
  bzcat: content('f'),
  zstdcat: content('f'),
  gzip: content('c d f l q v --stdout --decompress --list', toOutput),
  gunzip: content('c f l q --stdout --list', toOutput),
  tar: {
    options:
      't x O v z j J a f@ --list --extract --to-stdout --verbose --gzip --bzip2 --xz --zstd ' +
      '--file@ --wildcards',
    operands: 'text',
    problem: tarProblem,
  },
  unzip: {
    options: 'l v Z 1 z q p',
    operands: 'content',
    // All words after the archive name files in the archive, even words that begin with a dash.
    problem: ({ operands }, [first]) =>
      /^-(?:[vzq1]*[lZ][vzq1]*|v|q*p)$/.test(first?.text ?? '')
        ? memberProblem(operands.slice(1))
        : 'writes files',
  },
  zipinfo: content('1 2 s m l v h t'),
  shuf: content('n: e i: z --head-count= --echo --input-range= --zero-terminated'),
  b2sum: content(sums),
  grep,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  xzgrep: archiveGrep,
  bzgrep: archiveGrep,
  // Without `-f`, `-t` and `-G`, which have other meanings for other searches.
  ag: {
    options:
      'i s S v w Q l L c g: A: B: C: m: H a u --ignore-case --case-sensitive --smart-case ' +
      '--invert-match --word-regexp --literal --files-with-matches --files-without-matches ' +
      '--count --hidden --ignore= --ignore-dir= --nocolor --noheading --heading ' +
      '--nogroup --group --nobreak --break --numbers --nonumbers --python --cc --js --json ' +
      '--yaml --md --stats --silent --column --vimgrep --after= --before= --context= --depth= ' +
      '--max-count= --all-types --all-text --unrestricted',
    operands: 'script',
    scriptOptions: ['-g'],
  },
  rg: {
    options:
      'i s S v c l n N o q w x F P U e: f@ g: t: T: m: A: B: C: M: j: d: H I . a p --hidden ' +
      '--no-ignore --glob= --iglob= --type= --type-not= --type-list --files --color= ' +
      '--colors= --count --count-matches --files-with-matches --files-without-match ' +
      '--ignore-case --smart-case --case-sensitive --invert-match --word-regexp --line-regexp ' +
      '--fixed-strings --multiline --only-matching --max-count= --max-depth= --max-columns= ' +
      '--context= --after-context= --before-context= --no-heading --heading --line-number ' +
      '--no-line-number --no-filename --with-filename --json --stats --sort= --sortr= --pcre2 ' +
      '--regexp= --file@ --trim --quiet --vimgrep --column --text --multiline-dotall',
    operands: 'script',
    scriptOptions: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'],
  },
  sed: {
    options:
      'n E r s u z e: --quiet --silent --regexp-extended --expression= --separate ' +
      '--unbuffered --null-data --posix',
    operands: 'script',
    scriptOptions: ['-e', '--expression'],
    problem: sedProblem,
  },
  awk: {
    options: 'F: v:',
    operands: 'script',
    problem: awkProblem,
  },
  jq: {
    options:
      'r c s n S e a j C M R --raw-output --compact-output --slurp --null-input --sort-keys ' +
      '--exit-status --raw-input --tab --indent= --monochrome-output --color-output --arg== ' +
      '--argjson== --slurpfile=@ --rawfile=@',
    operands: 'script',
    problem: jqProblem,
  },
  fd,
  fdfind: fd,
  // These programs read only names, sizes and times.
  ls: names(
    'a A l h t r R S s 1 d F i X c u C m x g G n o p q k B b Q U v N D Z H f w: I: T: --all ' +
      '--almost-all --human-readable --color --sort= --time= --time-style= --reverse ' +
      '--recursive --size --directory --classify --full-time --group-directories-first --si ' +
      '--inode --ignore= --hide= --format= --no-group --numeric-uid-gid --width= --zero ' +
      '--block-size= --author --file-type',
  ),
  tree: names(
    'a d f i x L: P: I: p s h D u g t c r C n F J N q Q --prune --du --dirsfirst --noreport ' +
      '--filelimit= --si --gitignore --charset= --timefmt= --sort= --matchdirs --ignore-case',
    treeProblem,
  ),
  du: names(
    'a b c h k m s x P S l d: t: B: 0 --all --apparent-size --human-readable --si --summarize ' +
      '--total --max-depth= --exclude= --block-size= --one-file-system --time --threshold= ' +
      '--bytes --separate-dirs --inodes',
  ),
  df: text(
    'a h H i k l m P T t: x: B: --all --human-readable --si --inodes --local --print-type ' +
      '--type= --exclude-type= --total --output --block-size= --portability',
  ),
  stat: names('L f t c: --dereference --file-system --format= --printf= --terse'),
  file: names(
    'b i L k h p s --brief --mime --mime-type --mime-encoding --dereference --no-dereference',
  ),
  realpath: names(
    'e m L P q s z --canonicalize-existing --canonicalize-missing --logical --physical ' +
      '--quiet --no-symlinks --relative-to@ --relative-base@ --zero',
  ),
  readlink: names(
    'f e m n q s v z --canonicalize --canonicalize-existing --canonicalize-missing ' +
      '--no-newline --zero',
  ),
  // Without options and files; the text that it calculates is its input.
  bc: content('l s w q --mathlib --standard --warn --quiet', nothing),
  yq: {
    options: 'r P e o: p: --raw-output --prettyPrint --output-format= --input-format=',

    operands: 'script',
    problem: yqProblem,
  },
  md5sum: content(sums),
  sha1sum: content(sums),
  sha256sum: content(sums),
  sha512sum: content(sums),
  cksum: content(''),
  sum: content('r s --sysv'),
  test: names(conditions),
  '[': names(conditions),
};

/**
 * Returns a problem if a short option of tree that takes a value is combined with others: its
 * value, the next word, would be mistaken for an operand.
 */
function treeProblem(_call: Arguments, words: readonly ShellWord[]): string | undefined {
  const options = words.filter(({ text: each }) => /^-[^-]/.test(each));
  return options.every(({ text: each }) => /^-(?:[^LPI]+|[LPI])$/.test(each))
    ? undefined
    : 'may write a file';
}

/**
 * Returns a problem if the program would compress a file in place, because no option sends the
 * output to stdout.
 */
function toOutput({ names: given }: Arguments): string | undefined {
  const isRead = ['-c', '--stdout', '-l', '--list'].some((name) => given.has(name));
  return isRead ? undefined : 'writes files';
}

/**
 * Returns a problem unless tar only lists a local archive, or prints files of it. An archive named `host:file` is on
 * another host.
 */
function tarProblem({ names: given, paths, operands }: Arguments): string | undefined {
  const has = (...all: readonly string[]): boolean => all.some((each) => given.has(each));
  const [isListed, isExtracted] = [has('-t', '--list'), has('-x', '--extract')];
  if (isListed === isExtracted) return 'writes files';
  if (isExtracted && !has('-O', '--to-stdout')) return 'writes files';
  const member = isExtracted ? memberProblem(operands) : undefined;
  if (member !== undefined) return member;
  return paths.length === 0 ||
    paths.some(({ text: each, isDynamic }) => isDynamic || each.includes(':'))
    ? 'may read from another host'
    : undefined;
}
