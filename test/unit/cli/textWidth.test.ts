import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { columnsText } from '../../../src/cli/screen/columns.ts';
import {
  cutToWidth,
  fitToWidth,
  padToWidth,
  rowsOf,
  textWidth,
  wrap,
} from '../../../src/cli/screen/textWidth.ts';

/** One character for the eye, of several code points. */
const family = '👩‍👩‍👧‍👦';
const accented = 'e\u0301';

describe('text in a terminal', () => {
  const widths: [string, string, number][] = [
    ['Latin letters', 'loss', 4],
    ['Chinese', '学习率', 6],
    ['Korean', '손실', 4],
    ['an emoji', '🧪', 2],
    ['emoji that are joined', family, 2],
    ['a flag', '🇩🇪', 2],
    ['an accent of its own', accented, 1],
    ['colours', '\u001b[31mloss\u001b[39m', 4],
    ['what draws curves', '█▅▁…·', 5],
  ];
  for (const [what, text, width] of widths)
    it(`has a width: ${what}`, () => assert.equal(textWidth(text), width));

  it('is cut and filled up by columns, no character cut in half', () => {
    assert.equal(cutToWidth('学习率', 5), '学习');
    assert.equal(cutToWidth(`${family}a`, 1), '');
    assert.equal(cutToWidth(`${accented}a`, 1), accented);
    assert.equal(fitToWidth('学习率', 6), '学习率');
    assert.equal(fitToWidth('学习率', 5), '学习…');
    assert.equal(fitToWidth('学习率', 4), '学…');
    assert.equal(padToWidth('学习', 6), '学习  ');
    assert.equal(padToWidth('学习', 3), '学习');
  });

  it('takes rows: a wide character is not broken at the edge', () => {
    assert.deepEqual(
      [
        rowsOf('', 5),
        rowsOf('abcde', 5),
        rowsOf('abcdef', 5),
        rowsOf('中'.repeat(15), 5),
        rowsOf(family, 2),
      ],
      [1, 1, 2, 8, 1],
    );
    assert.equal(rowsOf('\u001b[2mabcde\u001b[22m', 5), 1);
    assert.deepEqual([rowsOf('a\tb', 9), rowsOf('a\tb', 8), rowsOf('a\tb\tc', 9)], [1, 2, 2]);
  });

  it('breaks between words, and words that are longer than a line', () => {
    assert.deepEqual(wrap('abcdefgh ij', 4), ['abcd', 'efgh', 'ij']);
    assert.deepEqual(wrap('', 4), ['']);
    assert.deepEqual(wrap('学习率 学习率', 8), ['学习率', '学习率']);
    assert.deepEqual(wrap('学习率学习率', 5), ['学习', '率学', '习率']);
    assert.deepEqual(wrap(`${family}${family}`, 3), [family, family]);
    assert.deepEqual(wrap('中文', 1), ['中', '文']);
  });

  it('never has a break inside a path or a command', () => {
    const path = '/home/user/projects/tiny stories/run'.replace(' ', '-');
    assert.deepEqual(wrap(`Wrote ${path} as a patch`, 12), ['Wrote', path, 'as a patch']);
    assert.deepEqual(wrap(`(${path})`, 12), [`(${path})`]);
    assert.deepEqual(wrap('run `helios promote 1 e7` now', 12), [
      'run',
      '`helios promote 1 e7`',
      'now',
    ]);
    assert.deepEqual(wrap('To change it: /target val_loss < 0.2', 14), [
      'To change it:',
      '/target val_loss < 0.2',
    ]);
    assert.deepEqual(wrap('helios promote 1 e7 --branch lr', 12), [
      'helios promote 1 e7 --branch lr',
    ]);
    assert.deepEqual(wrap('it is helios that promotes', 12), ['it is helios', 'that', 'promotes']);
  });

  it('stands in columns as the terminal shows it, each row on its own lines', () =>
    assert.equal(
      columnsText(['NAME', 'GOAL'], [['a\nb\tc', 'x\u202e\r\ny']], 40),
      'NAME   GOAL\na b c  x\\u202e y\n',
    ));

  it('stands in columns, also where it is wide', () => {
    const text = columnsText(
      ['NAME', 'GOAL'],
      [
        ['学习率', 'first'],
        ['lr', `second ${family}${'中'.repeat(20)}`],
      ],
      34,
    );
    assert.deepEqual(text.split('\n'), [
      'NAME    GOAL',
      '学习率  first',
      `lr      second ${family}${'中'.repeat(8)}`,
      '',
    ]);
  });
});
