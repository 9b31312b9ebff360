import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

describe('the files of a tier', () => {
  const inRoot = { cwd: repositoryRoot };
  for (const config of globSync('test/*/{.mocharc,whole}.json', inRoot)) {
    const { spec } = JSON.parse(readFileSync(join(repositoryRoot, config), 'utf8')) as {
      readonly spec: string | readonly string[];
    };
    // Mocha finds nothing for a pattern with braces, and only warns.
    for (const pattern of [spec].flat())
      it(`are found by ${pattern}`, () => {
        assert.doesNotMatch(pattern, /[{}]/);
        assert.notEqual(globSync(pattern, inRoot).length, 0);
      });
  }
});
