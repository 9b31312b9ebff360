import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  MemoryFailure,
  decodeSegment,
  encodeSegment,
  parsePath,
} from '../../../src/memory/memoryPath.ts';

describe('parsePath', () => {
  it('gives every spelling of a path one form', () => {
    for (const [input, text] of [
      ['/', '/'],
      ['///', '/'],
      ['best', '/best'],
      ['/exp/', '/exp'],
      ['//exp//1//', '/exp/1'],
      ['global/x', '/global/x'],
      ['/globalx', '/globalx'],
      ['/Exp/ä b', '/Exp/ä b'],
      ['/a\u0308', '/ä'],
    ] as const)
      assert.equal(parsePath(input).text, text);
  });

  it('routes to /global by the whole first name only', () => {
    assert.deepEqual(parsePath('global//x/'), {
      text: '/global/x',
      root: 'global',
      segments: ['x'],
    });
    assert.deepEqual(parsePath('/global'), { text: '/global', root: 'global', segments: [] });
    for (const path of ['/globals/x', '/Global/x', '/a/global'])
      assert.equal(parsePath(path).root, 'session', path);
  });

  it('refuses what could mean another place, and never resolves it', () => {
    for (const path of [
      '',
      '  ',
      '/a/../b',
      '..',
      '/../../best',
      './a',
      'a\\b',
      '..\\..\\x',
      '/a\u0000b',
      '/a\nb',
      '/a/ /b',
      '/a\ud800',
      `/${'x'.repeat(300)}`,
      '/x'.repeat(40),
    ])
      assert.throws(
        () => parsePath(path),
        (error: unknown) =>
          error instanceof MemoryFailure &&
          error.reason === 'bad_path' &&
          /\/best/.test(error.message),
        JSON.stringify(path),
      );
  });
});

describe('encodeSegment', () => {
  it('makes names that every file system takes, and back', () => {
    for (const [name, file] of [
      ['best', 'best'],
      ['größe 学习', 'größe 学习'],
      ['lr:3e-4?', 'lr%3A3e-4%3F'],
      ['100%', '100%25'],
      ['.hidden', '%2Ehidden'],
      ['ends.', 'ends%2E'],
      ['con', '%63on'],
      ['CON.x', '%43ON.x'],
      ['a|b<c>"*', 'a%7Cb%3Cc%3E%22%2A'],
    ] as const) {
      assert.equal(encodeSegment(name), file);
      assert.equal(decodeSegment(file), name);
    }
  });

  it('takes a name that is no escape of ours as it stands', () => {
    for (const name of ['100%41', 'a%2Fb', 'a%00', '50%']) assert.equal(decodeSegment(name), name);
  });
});
