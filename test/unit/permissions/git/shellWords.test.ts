import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { shellCommands, type ShellCommand, type ShellWord } from '../../../../src/permissions/git/shellWords.ts';

/** A word that only the shell can know is written as `?text`. */
const shown = ({ text, isDynamic }: ShellWord): string => (isDynamic ? `?${text}` : text);

const written = ({ assignments, words, written: files, input }: ShellCommand): string =>
  [
    ...assignments.map((word) => `${shown(word)} :`),
    ...words.map((word) => `<${shown(word)}>`),
    ...files.map((word) => `> ${shown(word)}`),
    ...(input === '' ? [] : [`< ${JSON.stringify(input)}`]),
  ].join(' ');

const read = (text: string): readonly string[] | undefined => shellCommands(text)?.map(written);

/** Text → its commands; `undefined`: it is not understood. */
const cases: readonly (readonly [text: string, ...commands: readonly (string | undefined)[]])[] = [
  ['a b', '<a> <b>'],
  ['  a\t b \r\n', '<a> <b>'],
  ['a \\\n b', '<a> <b>'],
  ['a\\\nb', '<ab>'],
  ['a;b&c|d&&e||f\ng', '<a>', '<b>', '<c>', '<d>', '<e>', '<f>', '<g>'],
  ['(a; b) c', '<a>', '<b>', '<c>'],
  ['# a $(b)', ''],
  ['a # b\nc', '<a>', '<c>'],
  ['a#b', '<a#b>'],
  // Quotes.
  [`a'b c'"d e"\\ f`, '<ab cd e f>'],
  [`''`, '<>'],
  [`""`, '<>'],
  [`'$x \`y\`'`, '<$x `y`>'],
  ['"a\\"b\\\\c\\$d\\`e\\f"', '<a"b\\c$d`e\\f>'],
  ['"a\\\nb"', '<ab>'],
  ['"a" "b"', '<a> <b>'],
  ["$'a b'", '<a b>'],
  ["$'a\\x20b'", '<?a\\x20b>'],
  ["$'it\\'s'", "<?it\\'s>"],
  // What only the shell can know.
  ['$x', '<?>'],
  ['a$x-$1$@$$b', '<?a-b>'],
  ['a$', '<a$>'],
  ['"a$"', '<a$>'],
  ['"a$x b"', '<?a b>'],
  ['"$x"y"z"', '<?yz>'],
  ['*.py', '<?*.py>'],
  ['a?', '<?a?>'],
  ['a[bc]', '<?a[bc]>'],
  ['{a,b}', '<?{a,b}>'],
  ['~/x', '<~/x>'],
  [`'*'`, '<*>'],
  ['\\*', '<*>'],
  // Commands in commands come before the one that they are in.
  ['a $(b c) d', '<b> <c>', '<a> <?> <d>'],
  ['a "x$(b)y"', '<b>', '<a> <?xy>'],
  ['a `b \\`c\\`` d', '<c>', '<b> <?>', '<a> <?> <d>'],
  ['a $(b $(c))', '<c>', '<b> <?>', '<a> <?>'],
  [`a $(b ')' ")" \\))`, '<b> <)> <)> <)>', '<a> <?>'],
  ['a $(b (c) d) e', '<b>', '<c>', '<d>', '<a> <?> <e>'],
  ['a $((1 + (2))) b', '<a> <?> <b>'],
  ['a $(( $(b) + `c` )) d', '<b>', '<c>', '<a> <?> <d>'],
  ['a $(b an edge case in c)', '<b> <an> <edge> <case> <in> <c>', '<a> <?>'],
  ['a $((b) ) c', '<b>', '<a> <?> <c>'],
  ['a $((b); (c)) d', '<b>', '<c>', '<a> <?> <d>'],
  ['a ${x:-$( ( (b) ) )} c', '<b>', '<a> <?> <c>'],
  ['a ${x} b', '<a> <?> <b>'],
  ['a ${x:-$(b)} c', '<b>', '<a> <?> <c>'],
  ['a ${x:-${y}} b', '<a> <?> <b>'],
  ["a ${x:-'} b", '<a> <?> <b>'],
  ['diff <(a b) >(c)', '<a> <b>', '<c>', '<diff> <?> <?>'],
  // Where it writes, and what it is given.
  ['a >b 2>c >>d >|e', '<a> > b > c > d > e'],
  ['a &>b; c &>>d', '<a> > b', '<c> > d'],
  ['a 2>&1', '<a> > 1'],
  ['a <>b', '<a> > b'],
  ['a <b', '<a>'],
  ['a > b c', '<a> <c> > b'],
  ['>b', '> b'],
  ['a12>b', '<a12> > b'],
  ['a <<<"x y"', '<a> < "x y"'],
  ['a <<E\nx\n y\nE\nb', '<a> < "x\\n y\\n"', '<b>'],
  ['a <<-E\n\tx\n\t\tE\nb', '<a> < "\\tx\\n"', '<b>'],
  ['a <<E\nx\n\tE\nE\nb', '<a> < "x\\n\\tE\\n"', '<b>'],
  ['a <<E1 <<E2\nx\nE1\ny\nE2\nb', '<a> < "x\\ny\\n"', '<b>'],
  ["a <<'E'\nx\nE", '<a> < "x\\n"'],
  ['a <<E\n$(b) `c`\nE', '<b>', '<c>', '<a> < "$(b) `c`\\n"'],
  ["a <<'E'\n$(b) `\nE", '<a> < "$(b) `\\n"'],
  ['a <<\\E\n$(b)\nE', '<a> < "$(b)\\n"'],
  ['a <<E\n$(\nb\n)\nE\nc', '<b>', '<a> < "$(\\nb\\n)\\n"', '<c>'],
  ['a <<E\n\\$(b)\nE', '<a> < "\\\\$(b)\\n"'],
  ['a <<E', '<a>'],
  ['a <<E\nx', '<a> < "x\\n"'],
  ['a <<E | b\nx\nE', '<a> < "x\\n"', '<b>'],
  // Assignments stand before the command alone.
  ['A=1 B+=2 c D=3', 'A=1 : B+=2 : <c> <D=3>'],
  ['A="$x y"', '?A= y :'],
  ['1A=2', '<1A=2>'],
  // Words of the shell begin nothing that is called.
  ['if a; then b; elif c; else d; fi', '<a>', '<b>', '<c>', '<d>'],
  ['while ! a; do b; done', '<a>', '<b>'],
  ['{ a; } b', '<a>', '<b>'],
  ['{$x a', '<?{> <a>'],
  ['a {', '<a> <{>'],
  ['time a', '<a>'],
  ['echo if', '<echo> <if>'],
  // What is not understood.
  ["a 'b", undefined],
  ['a "b', undefined],
  ["a $'b", undefined],
  ['a `b', undefined],
  ['a $(b', undefined],
  ['a $((1', undefined],
  ['a $(case x in y) b;; esac)', undefined],
  ['a $(b; case x in y) c;; esac)', undefined],
  ['a <<E\n$(b\nE', undefined],
  ['a ${b', undefined],
  ['a >', undefined],
  ['a > ;', undefined],
  ['a "$(b "c)"', undefined],
];

describe('the commands of a shell text', () => {
  for (const [text, ...commands] of cases)
    it(JSON.stringify(text), () => {
      const expected = commands[0] === undefined ? undefined : commands.filter((command) => command !== '');
      assert.deepEqual(read(text), expected);
    });

  for (const [open, close] of [
    ['$(', ')'],
    ['$((', '))'],
    ['${x:-', '}'],
    ['"${x:-', '}"'],
  ] as const)
    it(`are read to a depth of twenty: ${open}${close}`, () => {
      const nested = (depth: number): string => `${open.repeat(depth)}a${close.repeat(depth)}`;
      assert.notEqual(read(nested(20)), undefined);
      assert.equal(read(nested(21)), undefined);
    });
});
