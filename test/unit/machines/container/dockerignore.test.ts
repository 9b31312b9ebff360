import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { ignoring } from '../../../../src/machines/container/dockerignore.ts';
import { assertInProportion } from '../../../fakes/proportion.ts';
import { random } from '../../../fakes/random.ts';

/** The meaning of patterns without brackets as an expression, which may take any time. */
function expressionOf(glob: string): RegExp {
  const source = glob.replace(/(?<![^/])\*\*\/|\*\*|\*|\?|\./g, (sign) => {
    if (sign === '**/') return '(?:.*/)?';
    if (sign === '**') return '.*';
    if (sign === '*') return '[^/]*';
    return sign === '?' ? '[^/]' : '\\.';
  });
  return new RegExp(`^${source}(?:/.*)?$`);
}

describe('.dockerignore', () => {
  it('excludes what it names, and includes again what it includes again', () => {
    const isIgnored = ignoring(
      '# comment\nruns\n*.log\n/data/**/raw\n!data/small/raw\n**/cache/\nx?.b+c\n',
    );
    const ignored = [
      ...['runs', 'runs/1/log', 'a.log', 'data/raw', 'data/x/y/raw/1', 'a/b/cache/f', 'cache'],
      'x1.b+c',
    ];
    const others = ['sub/a.log', 'data/small/raw/2', 'xy.bbc', 'run', 'runs2', 'cached', 'x/.b+c'];
    assert.deepEqual(
      [...ignored, ...others].filter((path) => isIgnored(path)),
      ignored,
    );
  });

  const brackets: readonly (readonly [glob: string, ignored: string, other: string])[] = [
    ['[a-c]x', 'a bx cx bx', 'a dx -x'],
    ['[^a-c]x', 'dx -x', 'ax /x x'],
    ['[]x', '[]x', 'x'],
    ['[z-a]x', '', 'ax zx -x'],
    ['[ab', '[ab', 'a b'],
    ['ab]', 'ab]', 'ab'],
    ['[[a]x', '[x ax', 'x'],
    ['[a\\]]x', 'ax ]x', '\\x'],
    ['[a-]x', 'ax -x', 'bx'],
    ['\\*a', '*a', 'ba'],
    ['a\\', 'a\\', 'a'],
    ['(a|b)', '(a|b)', 'a b'],
    ['a{1,2}$', 'a{1,2}$', 'aa'],
  ];
  for (const [glob, ignored, other] of brackets)
    it(`reads ${glob} without an error`, () => {
      const isIgnored = ignoring(glob);
      const wanted = ignored.split(' ').filter((path) => path !== '' && path !== 'a');
      for (const path of wanted) assert.ok(isIgnored(path), path);
      for (const path of other.split(' ')) assert.ok(!isIgnored(path), path);
    });

  it('means the same as an expression', () => {
    const next = random(7);
    const text = (signs: readonly string[], length: number): string =>
      Array.from({ length }, () => signs[Math.floor(next() * signs.length)]).join('');
    for (let round = 0; round < 20_000; round += 1) {
      const glob = text(['a', 'b', '/', '*', '**', '**/', '?', '.'], 1 + Math.floor(next() * 7));
      const bare = glob.replace(/^\.?\//, '').replace(/\/+$/, '');
      const path = text(['a', 'b', 'a', 'b', '/', '.'], 1 + Math.floor(next() * 8));
      const expected = expressionOf(bare).test(path);
      assert.equal(ignoring(`x\n${glob}`)(path), expected, `${glob} on ${path}`);
    }
  });

  const hostile: Readonly<Record<string, (length: number) => readonly [string, string]>> = {
    stars: (length) => ['*a*a*a*a*a*a*a*a*b', 'a'.repeat(length)],
    'deep stars': (length) => ['**a**a**a**a**a**a**b', 'a'.repeat(length)],
    'optional folders': (length) => ['**/**/**/**/**/**/**/b', 'a/'.repeat(length / 2)],
    'long patterns': (length) => ['*a'.repeat(length / 2), 'b'.repeat(100)],
    'long patterns of folders': (length) => ['**/'.repeat(length / 3), 'b/'.repeat(50)],
    brackets: (length) => ['['.repeat(length), '['],
    slashes: (length) => [`${'/'.repeat(length)}a`, 'a'],
  };
  for (const [what, caseOf] of Object.entries(hostile))
    it(`takes time in proportion to its length and that of the path: ${what}`, () => {
      for (const length of [200, 2_000, 20_000])
        assertInProportion((share) => {
          const [glob, path] = caseOf(Math.ceil(length * share));
          return ignoring(glob)(path);
        }, `${length} characters`);
    });
});
