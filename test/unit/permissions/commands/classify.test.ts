import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'mocha';
import { classify } from '../../../../src/permissions/commands/classify.ts';
import type { CommandPlace } from '../../../../src/permissions/commands/paths/place.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';

interface Case {
  readonly line: string;
  /**
   * The verdict, `each` where a command needs an approval in every mode; several with `|` where the
   * rules allow both.
   */
  readonly verdict: string;
}

const cases = readFileSync(new URL('./lines.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

const place: CommandPlace = {
  workFolder: '/home/ada/project',
  home: '/home/ada',
  readFolders: ['/home/ada/project', '/home/ada/.helios/runs'],
  rules: usualPaths,
  realPath: (path) => path,
  exists: () => true,
  matches: (pattern) => (pattern.endsWith('/-*') ? [] : [pattern.replace(/\[[^\]]*\]|[*?]/g, 'a')]),
  keyFiles: () => [],
  oddFiles: () => [],
};

describe('the classifier of command lines', () => {
  before(loadShell);

  for (const { line, verdict } of cases) {
    it(`${verdict}: ${JSON.stringify(line)}`, () => {
      const { kind, reason, pathNote } = classify(line, place);
      const found = pathNote === undefined ? kind : 'each';
      assert.ok(verdict.split('|').includes(found), `${found}: ${reason}`);
    });
  }
});
