/** Programs that read documents, tables, archives and compiled files. */
import type { Arguments } from './options.ts';
import { atFile, content, names, nothing, single, text, type Reader } from './reader.ts';

const table = 'd: q: e: H l t --no-header-row --delimiter= --quotechar= --encoding= --tabs ';
const long =
  'l a h T L: s: r R d F 1 t: g i S D --tree --level= --long --all --sort= --reverse ' +
  '--git-ignore --icons --color= --header --only-dirs --group-directories-first';
const bat: Reader = content(
  'n p A l: r: H: --plain --number --style= --color= --paging= --line-range= --language= ' +
    '--theme= --decorations= --wrap= --show-all --tabs=',
  batProblem,
);
/** The data of a file of HDF5 may be stored in any other file, which its header only names. */
const otherFiles = 'may show the content of other files: show the header with -H or -h';
const packerOptions =
  'l d c f q v k --list --stdout --to-stdout --decompress --keep --force --quiet --verbose';

export const extraReaders: Readonly<Record<string, Reader>> = {
  sdiff: content(
    's w: l b B W i a t E Z --suppress-common-lines --width= --left-column --ignore-case ' +
      '--ignore-all-space --ignore-space-change --ignore-blank-lines --text --expand-tabs',
  ),
  pr: content(
    '# a d F f m t T l: w: h: o: --double-space --omit-header --merge --length= --width=',
  ),
  base64: content('d i w: --decode --ignore-garbage --wrap='),
  base32: content('d i w: --decode --ignore-garbage --wrap='),
  iconv: content('f: t: c s l --from-code= --to-code= --list'),
  zstd: content(packerOptions, unpackProblem),
  xz: content(packerOptions, unpackProblem),
  bzip2: content('d c f k q v s --stdout --decompress --keep', unpackProblem),
  readelf: content(
    'a h l S s e n r d V A I W p: x: --all --file-header --program-headers --section-headers ' +
      '--sections --segments --symbols --syms --notes --relocs --dynamic --version-info --wide',
    atFile,
  ),
  nm: content(
    'A a B C D g n o p P r S u U --demangle --dynamic --extern-only --undefined-only ' +
      '--defined-only --print-size --size-sort --numeric-sort',
    atFile,
  ),
  objdump: content(
    'a f p h x d D s t T r R C j: M: w --archive-headers --file-headers --private-headers ' +
      '--section-headers --all-headers --disassemble --full-contents --syms --dynamic-syms ' +
      '--reloc --dynamic-reloc --demangle --section= --wide',
    atFile,
  ),
  size: content('A B d o x t', atFile),
  bat,
  batcat: bat,
  eza: names(long),
  exa: names(long),
  csvstat: content(`${table} c: n --names --columns= --count --mean --max --min --sum --unique`),
  csvcut: content(`${table} c: C: n x --names --columns= --not-columns=`),
  csvlook: content(`${table} I --no-inference --max-rows= --max-columns=`),
  csvgrep: content(`${table} c: m: r: f@ i n --columns= --match= --regex= --file@ --invert-match`),
  csvsort: content(`${table} c: r n I --columns= --reverse`),
  pdfinfo: content('f: l: -box -meta -isodates -rawdates', ({ operands }) =>
    operands.length === 1 ? undefined : 'takes arguments that are not known to be harmless',
  ),
  pdftotext: content('f: l: -layout -raw -nopgbrk', ({ operands }) =>
    operands.length === 2 && operands[1]?.text === '-' ? undefined : 'writes files',
  ),
  h5dump: content('H A n d: a: g: --header --onlyattr --contents --dataset= --group=', (call) =>
    ['-H', '-A', '-n', '--header', '--onlyattr', '--contents'].some((each) => call.names.has(each))
      ? undefined
      : otherFiles,
  ),
  h5ls: content('a e f g l r s v w: --address --full --recursive --verbose --width='),
  // Without a file, it only passes on what is piped into it.
  less: text(
    'S R N X F r n i I M m s J L --chop-long-lines --RAW-CONTROL-CHARS --raw-control-chars ' +
      '--LINE-NUMBERS --quit-if-one-screen --no-init --ignore-case --squeeze-blank-lines',
    nothing,
  ),
  pv: content(
    'p t e r a b f n q l W N: L: B: i: w: --progress --timer --eta --rate --average-rate ' +
      '--bytes --line-mode --quiet --name= --rate-limit= --interval= --width=',
  ),
  scc: names(
    'c f: i: s: w --by-file --no-cocomo --no-complexity --no-duplicates --wide --format= ' +
      '--include-ext= --exclude-dir= --exclude-ext= --sort=',
  ),
  tokei: names('C f s: t: e: o: --compact --files --sort= --type= --exclude= --output= --hidden'),
  lz4cat: content('', single),
  ncdump: content('h k', ({ operands, names: given }) => {
    if (operands.some(({ text, isDynamic }) => isDynamic || text.includes(':')))
      return 'may contact another host';
    return given.size === 0 ? otherFiles : undefined;
  }),
  sqlite3: {
    options:
      '-readonly -safe -csv -header -noheader -json -column -line -list -box -table -markdown ' +
      '-batch -separator= -nullvalue=',
    operands: 'content',
    problem: sqliteProblem,
  },
  getfacl: names('a c e n p t d --omit-header --absolute-names --numeric --tabular'),
  lsattr: names('a d l v p'),
  namei: names('l m o v x --long --modes --owners --vertical --mountpoints'),
};

/** `bat cache` changes the cache of bat, and `--paging=always` starts a pager. */
function batProblem({ operands, values, unknown }: Arguments): string | undefined {
  if (operands[0]?.text === 'cache') return 'may change its cache';
  const isPaged = values.get('--paging')?.some((each) => !/^(?:never|auto)$/.test(each)) === true;
  return isPaged || unknown.has('--paging') ? 'may start a pager' : undefined;
}

/**
 * Returns a problem unless the output goes to stdout, or the archive is only listed: of `-l` and
 * `-d`, these programs obey the last.
 */
function unpackProblem({ names: given }: Arguments): string | undefined {
  const has = (...all: readonly string[]): boolean => all.some((each) => given.has(each));
  const isListed = has('-l', '--list') && !has('-d', '--decompress');
  return isListed || has('-c', '--stdout', '--to-stdout') ? undefined : 'writes files';
}

/** Tables of sqlite3 that use other files, its statements and comments, and quotes of names. */
const sqlitePower =
  /file|fsdir|extension|attach|vacuum|import|;\s*\S|--|\/\*|["`[\]\\\n]|\b(?:pragma|insert|update|delete|replace\s+into)\b/i;
/** Keywords before a bracket, and the functions that only calculate. */
const sqliteCalls =
  /^(?:abs|and|as|avg|case|cast|coalesce|count|date|datetime|distinct|else|exists|from|group_concat|ifnull|iif|in|instr|json_array_length|json_extract|json_type|json_valid|julianday|lag|lead|length|like|lower|ltrim|max|min|not|nullif|on|or|over|partition|printf|rank|replace|round|row_number|rtrim|select|sign|strftime|substr|sum|then|time|total|trim|typeof|unixepoch|upper|using|when|where)$/i;

const onlySelects = (query: string): boolean =>
  /^\s*select\s/i.test(query) &&
  !sqlitePower.test(query) &&
  [...query.matchAll(/([\w$]+)\s*\(/g)].every(([, name = '']) => sqliteCalls.test(name));

/** Returns a problem unless the call of sqlite3 makes one query of a database opened to read. */
function sqliteProblem({ names: given, operands }: Arguments): string | undefined {
  const [file, query] = operands;
  const isNamed = operands.length === 2 && file?.isDynamic === false && !file.text.includes(':');
  if (!given.has('-readonly') || !isNamed || query?.isDynamic !== false)
    return 'may change a database: use sqlite3 -readonly FILE QUERY';
  return onlySelects(query.text) || /^\.(?:tables|schema)(?: \w+)?$/.test(query.text)
    ? undefined
    : 'its query may use other files or run programs';
}
