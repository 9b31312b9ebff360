/**
 * A tier names its longest files first, so that its workers end together; none may be lost over it,
 * or run twice.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../../setup/paths.ts';

const found = (pattern: string): readonly string[] => globSync(pattern, { cwd: repositoryRoot });

describe('the files of a tier', () => {
  for (const tier of ['unit', 'machines', 'lint', 'e2e'])
    it(`are all that there are in test/${tier}, each once`, () => {
      const settings = JSON.parse(
        readFileSync(join(repositoryRoot, 'test', tier, '.mocharc.json'), 'utf8'),
      ) as {
        readonly spec: readonly string[];
      };
      for (const pattern of settings.spec)
        assert.notDeepEqual(found(pattern), [], `nothing is ${pattern}`);
      assert.deepEqual(
        settings.spec.flatMap(found).sort(),
        found(`test/${tier}/**/*.test.ts`).toSorted(),
      );
    });
});
