/** `--home FOLDER` and `--home=FOLDER`, which every command takes before its words and after them. */
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
