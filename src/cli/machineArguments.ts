/** `helios machine …` and `helios machines`: whether the words are about machines, and what the terminal adds to them. */

export interface MachineArguments {
  /** For `parseMachineWords`. */
  readonly words: readonly string[];
  readonly home: string | undefined;
  /** Only of a list. */
  readonly isJson: boolean;
  readonly isHelp: boolean;
}

/** `undefined` when they are not: the first word says so. A goal that begins with one of these is written in quotes. */
export function machineArguments(argv: readonly string[]): MachineArguments | undefined {
  const { rest, home } = takeHome(argv);
  const [first, ...more] = rest;
  if (first !== 'machine' && first !== 'machines') return undefined;
  const words = first === 'machines' ? ['list', ...more] : more;
  const isJson = words[0] === 'list' && words.includes('--json');
  return {
    words: isJson ? words.filter((word) => word !== '--json') : words,
    home,
    isJson,
    isHelp: words.length === 0 || words.includes('--help') || words.includes('-h'),
  };
}

/** `--home` may stand before the words and after them. */
export function takeHome(argv: readonly string[]): {
  readonly rest: readonly string[];
  readonly home: string | undefined;
} {
  const at = argv.findIndex((word) => word === '--home' || word.startsWith('--home='));
  if (at === -1) return { rest: argv, home: undefined };
  const isApart = argv[at] === '--home';
  return {
    rest: argv.toSpliced(at, isApart ? 2 : 1),
    home: isApart ? (argv[at + 1] ?? '') : argv[at]?.slice('--home='.length),
  };
}
