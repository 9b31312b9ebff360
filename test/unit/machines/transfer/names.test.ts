import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isPlainName, leavesFolder, pathIn } from '../../../../src/machines/transfer/names.ts';

describe('names in a transfer', () => {
  for (const name of [
    '.',
    'a',
    '...',
    '..a',
    'a..',
    '.a/b.',
    'a/.../b',
    ' ',
    '\n',
    'a\n..',
    '..\\b',
  ])
    it(`may be ${JSON.stringify(name)}`, () => assert.ok(isPlainName(name)));
  for (const name of [
    '',
    '/',
    '/a',
    'a/',
    '..',
    '../a',
    'a/..',
    'a/../b',
    'a//b',
    './a',
    'a/.',
    'a/./b',
  ])
    it(`may not be ${JSON.stringify(name)}`, () => assert.ok(!isPlainName(name)));

  const inside = [
    ['l', 'a/b'],
    ['l', './a'],
    ['l', '.'],
    ['a/l', '..'],
    ['a/l', '../b'],
    ['a/b/l', '../.././/c'],
    ['l', '...'],
    ['l', '..a/b..'],
  ] as const;
  for (const [name, target] of inside)
    it(`keep the link ${name} to ${target}`, () => assert.ok(!leavesFolder(name, target)));
  const outside = [
    ['l', '/'],
    ['l', '/etc/hosts'],
    ['l', '..'],
    ['l', '../a'],
    ['a/l', '../..'],
    ['a/l', '.././../b'],
    ['a/l', './/..//../b'],
    // The name before `..` may be a link to a folder that is closer to the top.
    ['a/b/l', 'c/../d'],
    ['a/b/l', '../c/..'],
  ] as const;
  for (const [name, target] of outside)
    it(`leave the folder with the link ${name} to ${target}`, () =>
      assert.ok(leavesFolder(name, target)));

  it('have a path in every folder', () => {
    assert.deepEqual(
      [pathIn('/', 'a'), pathIn('/f', 'a/b'), pathIn('/f', '.')],
      ['/a', '/f/a/b', '/f'],
    );
  });
});
