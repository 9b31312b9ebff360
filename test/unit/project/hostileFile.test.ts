import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import { maxDepth } from '../../../src/base/jsonText.ts';
import { checkProject } from '../../../src/project/checkProject.ts';
import { parseProject } from '../../../src/project/projectFile.ts';
import { assertInProportion } from '../../fakes/proportion.ts';

const nested = (depth: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

describe('a helios.json that is made to be hard to read', () => {
  it('is refused where it is nested too deep', () => {
    const text = `{"x": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    assert.throws(
      () => parseProject('/p/helios.json', text),
      (error) =>
        error instanceof UserFacing &&
        error.message ===
          `/p/helios.json:1:${6 + maxDepth}: it is nested more than ${maxDepth} levels deep.`,
    );
  });

  it('is refused as a value that is nested too deep', () => {
    const { project, problems } = checkProject({ x: nested(20_000) });
    assert.equal(project, undefined);
    assert.deepEqual(problems, [
      { path: [], message: `is nested more than ${maxDepth} levels deep` },
    ]);
  });

  it('names only the first of many problems', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => [`name${index}`, 1]);
    const { warnings } = parseProject('/p/helios.json', JSON.stringify(Object.fromEntries(names)));
    assert.equal(warnings.length, 21);
    assert.equal(warnings.at(-1), '/p/helios.json: 4980 more');
  });

  it('looks for a hint only for names that are shown', () => {
    const names = Array.from({ length: 64_000 }, (_, index) => [`name${index}`, 1]);
    const { warnings } = checkProject(Object.fromEntries(names));
    const hinted = warnings.filter(({ message }) => /Did you mean|Known names/.test(message));
    assert.deepEqual([warnings.length, hinted.length], [64_000, 20]);
  });

  it('costs little for a name that is long', () => {
    assertInProportion((share) => checkProject({ ['x'.repeat(2_000_000 * share)]: 1 }));
  });
});
