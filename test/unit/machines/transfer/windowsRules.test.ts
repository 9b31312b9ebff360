import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { bytesOf } from '../../../../src/machines/transfer/ends.ts';
import { isWindowsName } from '../../../../src/machines/transfer/names.ts';
import { planOf } from '../../../../src/machines/transfer/plan.ts';
import { isSameTime, type Entry, type Tools } from '../../../../src/machines/transfer/tree.ts';
import { nameProblems, withModesOf } from '../../../../src/machines/transfer/windowsRules.ts';

const entry = (kind: Entry['kind'], mode = 0o644): Entry => ({
  ...{ kind, mode, sizeBytes: 1 },
  modified: '1700000000.123456789',
});
const files = (...names: readonly string[]): Map<string, Entry> =>
  new Map(names.map((name) => [bytesOf(name), entry('file')]));

describe('the items of a transfer on Windows', () => {
  for (const name of [
    '.',
    'a',
    'a.b',
    '.gitignore',
    'a/b c',
    'com',
    'console',
    'ä😀',
    'file.~1~',
    'a~b',
  ])
    it(`may be ${JSON.stringify(name)}`, () => assert.ok(isWindowsName(bytesOf(name))));
  for (const name of [
    ...['..\\a', 'C:\\a', 'a:stream', 'a\nb', 'a?', 'a*', 'a|b', '<a', 'a"b', 'a/b\\c', 'a\0'],
    ...['a.', 'a ', 'a/b./c', '..', 'a/../b', 'nul', 'NUL.txt', 'con', 'a/Aux.c', 'com1', 'COM¹.x'],
    ...['lpt9', 'CONIN$', 'GIT~1', 'a/PROGRA~1.TXT', ''],
  ])
    it(`may not be ${JSON.stringify(name)}`, () => assert.ok(!isWindowsName(bytesOf(name))));

  it('may not be bytes that are no text', () => assert.ok(!isWindowsName('\xff\xfe')));

  const planned = (
    source: Map<string, Entry>,
    links = new Map<string, string>(),
    system: Tools['system'] = 'windows',
  ) =>
    planOf({
      ...{ source, links, target: new Map(), sameLinks: new Set() },
      nameProblem: nameProblems(source, links, { system, foldsNames: true }),
      refusal: () => undefined,
    });

  it('are sent, but those that Windows cannot store or tell apart', () => {
    const source = new Map([
      ...files('Readme', 'README', 'a\\b', 'nul'),
      ['x', entry('folder')] as const,
      ['X', entry('folder')] as const,
      ...files('x/a', 'X/b'),
    ]);
    const plan = planned(source);
    assert.deepEqual([plan.files, plan.folders], [['Readme', 'x/a'], ['x']]);
    assert.deepEqual(
      plan.problems.map(({ name }) => name),
      ['README', 'a\\b', 'nul', 'X'],
    );
    assert.match(plan.problems[0]?.why ?? '', /does not tell its name from Readme/);
  });

  it('are sent to a Mac, but those that it cannot tell apart', () => {
    const source = files('a\\b', 'nul', 'Model.pt', 'model.pt', 'caf\u00e9', 'cafe\u0301');
    const plan = planned(source, new Map(), 'unix');
    assert.deepEqual(plan.files, ['a\\b', 'nul', 'Model.pt', bytesOf('caf\u00e9')]);
    assert.equal(plan.problems.length, 2);
  });

  it('are no links that Windows reads in another way', () => {
    const targets = { fine: '../b/./c', up: '..\\..\\x', drive: 'C:/x', device: 'nul' };
    const links = new Map(Object.entries(targets).map(([name, to]) => [`d/${name}`, to]));
    const source = new Map([
      ['d', entry('folder')] as const,
      ...[...links.keys()].map((name) => [name, entry('link')] as const),
    ]);
    const plan = planned(source, links);
    assert.deepEqual(plan.links, ['d/fine']);
    assert.equal(plan.problems.length, 3);
  });

  it('leave the modes that are there', () => {
    const there = new Map([
      ['run.sh', entry('file', 0o755)],
      ['x', entry('folder', 0o700)],
    ] as const);
    const source = files('run.sh', 'x', 'new');
    assert.deepEqual(
      [...withModesOf(there, source).values()].map(({ mode }) => mode),
      [0o755, 0o644, 0o644],
    );
  });

  it('have times that are equal where the file system is less exact', () => {
    const exact = '1700000000.123456789';
    for (const other of ['1700000000.123456700', '1700000000.123456000', '1700000000.000000000'])
      assert.ok(isSameTime(exact, other), other);
    assert.ok(isSameTime('1700000000.999999999', '1700000001.000000000'));
    for (const other of ['1700000000.123450000', '1700000001.123456789', '1700000001.000000000'])
      assert.ok(!isSameTime(exact, other), other);
  });
});
