import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'mocha';
import { classify } from '../../../../src/permissions/commands/classify.ts';
import type { CommandPlace } from '../../../../src/permissions/commands/place.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';

interface Case {
  readonly line: string;
  /** The verdict; several with `|` where the rules allow both. */
  readonly verdict: string;
}

const cases = readFileSync(new URL('./lines.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case);

const place: CommandPlace = {
  workFolder: '/home/ada/project',
  home: '/home/ada',
  readFolders: ['/home/ada/.helios/runs'],
  realPath: (path) => path,
  matches: (pattern) => [pattern.replace(/\[[^\]]*\]|[*?]/g, 'a')],
};

describe('the classifier of command lines', () => {
  before(loadShell);

  for (const { line, verdict } of cases) {
    it(`${verdict}: ${JSON.stringify(line)}`, () => {
      const { kind, reason } = classify(line, place);
      assert.ok(verdict.split('|').includes(kind), `${kind}: ${reason}`);
    });
  }
});
