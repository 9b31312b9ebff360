import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { run } from '../../setup/command.ts';
import { parseShell } from '../../../src/shell/parseShell.ts';
import { writtenBy, type ShellCommand, type ShellWord } from '../../../src/shell/shellCommand.ts';

/** A word that only the shell can know is written as `?text`. */
const shown = ({ text, isDynamic }: ShellWord): string => (isDynamic ? `?${text}` : text);

const written = (command: ShellCommand): string => {
  const { assignments, words, input } = command;
  return [
    ...assignments.map((word) => `${shown(word)} :`),
    ...words.map((word) => `<${shown(word)}>`),
    ...writtenBy(command).map((word) => `> ${shown(word)}`),
    ...(input === '' ? [] : [`< ${JSON.stringify(input)}`]),
  ].join(' ');
};

const read = (text: string): readonly string[] | undefined =>
  parseShell(text)?.commands.map(written);

/** Text → its commands; `undefined`: it is not understood. */
const cases: readonly (readonly [text: string, ...commands: readonly (string | undefined)[]])[] = [
  ['a b', '<a> <b>'],
  ['  a\t b \r\n', '<a> <b>'],
  ['a \\\n b', '<a> <b>'],
  ['a\\\nb', '<ab>'],
  ['a;b&c|d&&e||f\ng', '<a>', '<b>', '<c>', '<d>', '<e>', '<f>', '<g>'],
  ['(a; b); c', '<a>', '<b>', '<c>'],
  ['# a $(b)', ''],
  ['a # b\nc', '<a>', '<c>'],
  ['a b#c', '<a> <b#c>'],
  // Quotes.
  [`a'b c'"d e"f\\ g`, '<ab cd ef g>'],
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
  ['a$x-$1$@', undefined],
  ['a$1-$x$@$$b', '<?a-b>'],
  ['a$', '<a$>'],
  ['"a$"', '<a$>'],
  ['"a$x b"', '<?a b>'],
  ['"$x"y"z"', '<?yz>'],
  ['*.py', '<?*.py>'],
  ['a?', '<?a?>'],
  ['a b[cd]', '<a> <?b[cd]>'],
  ['a {b,c}', '<a> <?{b,c}>'],
  ['~/x', '<~/x>'],
  [`'*'`, '<*>'],
  ['\\*', '<*>'],
  // Commands in commands come before the one that they are in.
  ['a $(b c) d', '<b> <c>', '<a> <?> <d>'],
  ['a "x$(b)y"', '<b>', '<a> <?xy>'],
  ['a `b \\`c\\`` d', '<c>', '<b> <?>', '<a> <?> <d>'],
  ['a $(b $(c))', '<c>', '<b> <?>', '<a> <?>'],
  [`a $(b ')' ")" \\))`, '<b> <)> <)> <)>', '<a> <?>'],
  ['a $(b; (c); d) e', '<b>', '<c>', '<d>', '<a> <?> <e>'],
  ['a $((1 + (2))) b', '<a> <?> <b>'],
  ['a $(( $(b) + `c` )) d', '<b>', '<c>', '<a> <?> <d>'],
  ['a $(b an edge case in c)', '<b> <an> <edge> <case> <in> <c>', '<a> <?>'],
  ['a ${x:-$( ( (b) ) )} c', '<b>', '<a> <?> <c>'],
  ['a ${x} b', '<a> <?> <b>'],
  ['a ${x:-$(b)} c', '<b>', '<a> <?> <c>'],
  ['a ${x:-${y}} b', '<a> <?> <b>'],
  ['diff <(a b) >(c)', '<a> <b>', '<c>', '<diff> <?> <?>'],
  // Where it writes, and what it is given.
  ['a >b 2>c >>d >|e', '<a> > b > c > d > e'],
  ['a &>b; c &>>d', '<a> > b', '<c> > d'],
  ['a 2>&1', '<a> > 1'],
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
  ['a <<E\nx', '<a> < "x"'],
  ['a <<E | b\nx\nE', '<a> < "x\\n"', '<b>'],
  // Assignments stand before the command alone.
  ['A=1 B+=2 c D=3', 'A=1 : B+=2 : <c> <D=3>'],
  ['A="$x y"', '?A= y :'],
  // Words of the shell begin nothing that is called.
  ['if a; then b; elif c; then d; else e; fi', '<a>', '<b>', '<c>', '<d>', '<e>'],
  ['while ! a; do b; done', '<a>', '<b>'],
  ['{ a; }; b', '<a>', '<b>'],
  ['a {', '<a> <{>'],
  ['time a', '<a>'],
  ['echo if', '<echo> <if>'],
  ['time -p A=1 a', 'A=1 : <a>'],
  ['"A=1" a', '<A=1> <a>'],
  ['[ -f a ] && [[ $b == c* ]]', '<[> <-f> <a> <]>', '<[[> <?> <==> <?c*> <]]>'],
  ['["a"]', '<?[a]>'],
  ['for a in b $c; do d; done', '<for> <a> <in> <b> <?>', '<d>'],
  ['a $(case x in y) b;; esac)', '<b>', '<a> <?>'],
  ['case x in y|z) a;; *) b;; esac', '<a>', '<b>'],
  ['a() { b; }; a', '<b>', '<a>'],
  ['A=(b $(c)); a "${A[@]}"', '<c>', '?A= :', '<a> <?>'],
  ['((a++)); b', '<b>'],
  // What belongs to more than one command.
  ['a && b <<E\nx\nE', '<a>', '<b> < "x\\n"'],
  ['{ a; b; } <<E >c\nx\nE', '<a> < "x\\n"', '<b> < "x\\n"', '> c < "x\\n"'],
  ['a - <<E 2>&1 | b c\nx\nE', '<a> <-> > 1 < "x\\n"', '<b> <c>'],
  ['a <<E; b\nx\nE', '<a> < "x\\n"', '<b>'],
  ['a $((1<<2))\nb', '<a> <?>', '<b>'],
  ['a "<<E"\nE\nb', '<a> <<<E>', '<E>', '<b>'],
  ['a "$(b <<E\n(\nE\n)"', '<b> < "(\\n"', '<a> <?>'],
  [
    'a <<E\n\\`b\\` ${x:-$(c)} $((1)) $[2]\nE',
    '<c>',
    '<a> < "\\\\`b\\\\` ${x:-$(c)} $((1)) $[2]\\n"',
  ],
  // What is not understood, though some of it a shell does.
  ["a 'b", undefined],
  ['a "b', undefined],
  ["a $'b", undefined],
  ['a `b', undefined],
  ['a $(b', undefined],
  ['a $((1', undefined],
  ['a <<E\n$(b\nE', undefined],
  ['a ${b', undefined],
  ['a >', undefined],
  ['a > ;', undefined],
  ['a "$(b "c)"', undefined],
  ['a )', undefined],
  ['a\0b', undefined],
  ['a#b', undefined],
  ['a $((b) ) c', undefined],
  ['a $(($((1))+1))', undefined],
  ["a ${x:-'} b", undefined],
  ['a "${x:-\'$(b)\'}"', undefined],
  ['a <>b', undefined],
  ['{a}>b c', undefined],
  ['{$x a', undefined],
  ['a "b"\\ c', undefined],
  ['a `b` `c`', undefined],
  ['a $`b`', undefined],
  ['a $"b"', undefined],
  ['x=$ a b', undefined],
  ['1A=2', undefined],
  ['a\fb', undefined],
  ['a b\\\n\\\n\t2>c', undefined],
  ['a >b\n\\\nc', undefined],
  ['a >&-\n\\\nc', undefined],
  ['coproc { a; }', undefined],
  ['time { a; }', undefined],
  ['[ a > b ]', undefined],
  ['[[ a =~ >(b) ]]', undefined],
  ['a <<$x\n$x', undefined],
  ['a <<E\n\\\nE\nE', undefined],
  ['a <<E <(b\nE\n)', undefined],
  ['a $(b <<E\nE\nc; d)', undefined],
  ['a `b \\\nc`', undefined],
];

describe('the commands of a shell text', () => {
  for (const [text, ...commands] of cases)
    it(JSON.stringify(text), () => {
      const expected =
        commands[0] === undefined ? undefined : commands.filter((command) => command !== '');
      assert.deepEqual(read(text), expected);
    });

  for (const [open, close] of [
    ['$(', ')'],
    ['${x:-', '}'],
    ['"${x:-', '}"'],
  ] as const)
    it(`are read to a depth of twenty: ${open}${close}`, () => {
      const nested = (depth: number): string => `${open.repeat(depth)}a${close.repeat(depth)}`;
      assert.notEqual(read(nested(20)), undefined);
      assert.equal(read(nested(21)), undefined);
    });

  it('are not read from a long text, but here-documents may be long', () => {
    assert.notEqual(read(`a ${'b'.repeat(19_000)}`), undefined);
    assert.equal(read(`a ${'b'.repeat(21_000)}`), undefined);
    assert.notEqual(read(`a <<'E'\n${'b\n'.repeat(100_000)}E`), undefined);
    assert.equal(read('a <<E\nE\n'.repeat(101)), undefined);
    assert.equal(read(`${'( '.repeat(1_100)}a${' )'.repeat(1_100)}`), undefined);
    assert.equal(read(`a <<E\n${'`b'.repeat(301)}\nE`), undefined);
  });

  it('need the parser to be loaded', async () => {
    const program = "import { parseShell } from './src/shell/parseShell.ts'; parseShell('a');";
    await assert.rejects(
      run(process.execPath, ['--input-type=module', '-e', program]),
      /Await loadShell\(\) first/,
    );
  });

  it('tells whether a text holds more than simple commands', () => {
    for (const text of [
      'a $b ${c} *.d',
      "a 'b' && c | d > e",
      'A=1 a',
      '(a; b)',
      'export A=b',
      '[ -f a ]',
      '! a',
    ])
      assert.equal(parseShell(text)?.isPlain, true, text);
    for (const text of [
      'a "$b"',
      'a $(b)',
      'a `b`',
      'a <(b)',
      'a ${b:-c}',
      'a $((1))',
      'a <<<b',
      'a <<E\nE',
      'A=(b)',
    ])
      assert.equal(parseShell(text)?.isPlain, false, text);
    for (const text of [
      'for a in b; do c; done',
      'if a; then b; fi',
      '{ a; }',
      '[[ a ]]',
      '((1))',
      'a() { b; }',
    ])
      assert.equal(parseShell(text)?.isPlain, false, text);
  });
});
