import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { parseShell } from '../../../src/shell/parseShell.ts';
import type { ShellWord } from '../../../src/shell/shellCommand.ts';

/** Numbers that only their seed decides. */
function chance(seed: number): (below: number) => number {
  let state = seed * 7919;
  return (below) =>
    ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) % 65_521) % below;
}

const bare = [
  'x',
  'y1',
  '-z',
  'e#f',
  '=',
  '1',
  '%',
  '!',
  '@',
  ':',
  'b=c',
  ',',
  '\\ ',
  '\\"',
  "\\'",
  '\\\\',
  '\\$',
  '\\\n',
];
const inSingle = ['x y', '"', '\\', '$(a)', '`', '\n', '#', '<<E', '; a', ')', '*'];
const inDouble = [
  'x y',
  "'",
  '\\"',
  '\\\\',
  '\\$x',
  '\\`',
  '\n',
  '\\\n',
  '#',
  '<<E',
  '; a',
  ')',
  '\\x',
  '*',
  ' $ ',
];
const put = [
  '$x',
  '${x}',
  '"$x"',
  '"a$x b"',
  '$1',
  '$#',
  '${x:-"y z"}',
  '${#x}',
  '${x//c/b}',
  '$((1+2))',
  '{p,q}',
];

class Maker {
  readonly pick: (texts: readonly string[]) => string;
  readonly #below: (below: number) => number;
  #size = 0;

  constructor(seed: number) {
    const below = chance(seed);
    this.#below = below;
    this.pick = (texts) => texts[below(texts.length)] ?? '';
  }

  literal(): string {
    const kind = this.#below(3);
    if (kind === 0) return this.pick(bare);
    return kind === 1 ? `'${this.pick(inSingle)}'` : `"${this.pick(inDouble)}"`;
  }

  words(): string {
    const word = (): string =>
      Array.from({ length: 1 + this.#below(3) }, () => this.literal()).join('');
    return Array.from({ length: 1 + this.#below(3) }, word).join(this.pick([' ', '\t', ' \\\n ']));
  }

  text(): string {
    const parts = Array.from({ length: 1 + this.#below(3) }, () => this.#statement());
    const between = (text: string): string =>
      text.endsWith('\n') ? '' : this.pick(['; ', '\n', ' && ', ' || ', ' # c\n']);
    return parts.reduce((all, part) => all + between(all) + part);
  }

  #word(): string {
    const isSmall = ++this.#size > 6;
    switch (this.#below(isSmall ? 4 : 8)) {
      case 4:
        return `$( ${this.text()})`;
      case 5:
        return `"x $( ${this.text()})"`;
      case 6:
        return `"\${y:-$( ${this.text()})}"`;
      case 7:
        return `\`${this.text().replace(/[\\`]/g, '\\$&')}\``;
      case 3:
        return this.pick(put);
      default:
        return this.literal();
    }
  }

  #statement(): string {
    const command = `${this.pick(['', '', '', 'z=1 ', '! ', '>f ', 'time '])}${this.pick(['a', 'b', 'c'])} ${this.#word()}${this.#word()} ${this.#word()}`;
    if (++this.#size > 6) return command + this.pick(['', '', ' >f', ' 2>&1', ' <<<x']);
    switch (this.#below(9)) {
      case 0:
        return `(${this.text()})`;
      case 1:
        return `{ ${this.text()}\n}`;
      case 2:
        return `if ${this.text()}\nthen ${this.text()}\nfi`;
      case 3:
        return `for v in ${this.#word()} d; do ${this.text()}\ndone`;
      case 4:
        return `case ${this.#word()} in ${this.literal()}) ${this.text()}\n;; *) ${this.text()}\n;; esac`;
      case 5:
        return `${command} <<E >f\n${this.pick(['x', "it's", '$(a)', '\\$(a)', '`b`', '"', '<<E', ' E', ')'])}\nE\n`;
      case 6:
        return `[[ ${this.#word()} = ${this.#word()} ]] && ${command}`;
      default:
        return command;
    }
  }
}

/** Takes out, doubles or puts in a sign at some place: what comes out is often no shell text. */
function broken(text: string, seed: number): string {
  const below = chance(seed + 1);
  const at = below(text.length);
  const sign = [
    "'",
    '"',
    '\\',
    '`',
    '$(',
    ')',
    '#',
    ' ',
    '\n',
    '<<E',
    '>&-',
    '{',
    '}',
    ';',
    '$',
    '|',
    '\t',
  ][below(17)];
  return below(3) > 0 ? text : text.slice(0, at) + sign + text.slice(at + below(3));
}

/** Nothing of it goes on in the background. */
const endsTogether = (text: string): boolean => !text.replace(/&&|2>&1|>&-/g, '').includes('&');

/** Takes calls apart: `\1` ends a word, `\2` a call, `\3` a text. */
const reporting = `
exec 8<&0 9>&1
PATH=/none HOME='~' x=c FUNCNEST=10
for name in a b c d; do eval "$name() { printf '%s\\1' $name \\"\\$@\\" \\$'\\2' >&9; }"; done
readonly -f a b c d
while IFS= read -r -d '' text <&8; do
  ( eval "$text" ) 8<&- >/dev/null 2>&1 </dev/null
  printf '\\3'
done`;

function calledBy(
  texts: readonly string[],
  cwd: string,
): readonly (readonly (readonly string[])[])[] {
  const input = texts.map((text) => `${text}\0`).join('');
  const { stdout, status } = spawnSync('bash', ['-c', reporting], { cwd, input, encoding: 'utf8' });
  assert.equal(status, 0);
  const perText = stdout.split('\u0003').slice(0, -1);
  const wordsOf = (call: string): string[] => call.split('\u0001').slice(0, -1);
  return perText.map((calls) => calls.split('\u0002\u0001').slice(0, -1).map(wordsOf));
}

/** As far as the words are known: one that is not may become any number of words. */
function mayBe(words: readonly ShellWord[], call: readonly string[]): boolean {
  const unknown = words.findIndex(({ isDynamic }) => isDynamic);
  const known = (unknown < 0 ? words : words.slice(0, unknown)).map(({ text }) => text);
  return (
    known.every((text, index) => text === call[index]) &&
    (unknown >= 0 || known.length === call.length)
  );
}

describe('a shell text in the eyes of bash', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shell-'));
  });

  after(() => rm(folder, { recursive: true, force: true }));

  it('has the same words', () => {
    const texts = Array.from({ length: 1_000 }, (_, seed) => new Maker(seed).words()).map(
      (words) => `a ${words}`,
    );
    const called = calledBy(texts, folder);
    let understood = 0;
    texts.forEach((text, index) => {
      const commands = parseShell(text)?.commands;
      if (commands === undefined) return;
      understood++;
      assert.deepEqual(
        [commands.map(({ words }) => words.map((word) => word.text))],
        [called[index]],
        text,
      );
    });
    assert.ok(understood > 700, `${understood} understood`);
  });

  it('calls nothing that is not reported', () => {
    const texts = Array.from({ length: 2_000 }, (_, seed) => broken(new Maker(seed).text(), seed));
    const read = texts.filter(endsTogether).flatMap((text) => {
      const commands = parseShell(text)?.commands;
      return commands === undefined ? [] : [{ text, commands }];
    });
    const called = calledBy(
      read.map(({ text }) => text),
      folder,
    );
    assert.ok(read.length > 500, `${read.length} understood`);
    assert.ok(called.flat().length > 1_000, `${called.flat().length} called`);
    read.forEach(({ text, commands }, index) => {
      for (const call of called[index] ?? [])
        assert.ok(
          commands.some(({ words }) => mayBe(words, call)),
          `${text}\n${JSON.stringify(call)}`,
        );
    });
  });
});
