import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { documents, problemsOf, readDocument } from './documents.ts';

const maxReadmeLines = 150;

describe('The documents', () => {
  for (const path of documents())
    it(`${path} has no fault`, () => assert.deepEqual(problemsOf(path, readDocument(path)), []));

  it(`README.md has at most ${maxReadmeLines} lines`, () => {
    const lines = readDocument('README.md').trimEnd().split('\n').length;
    assert.ok(lines <= maxReadmeLines, `${lines} lines`);
  });

  const faults: readonly (readonly [string, string])[] = [
    ['[Models](docs/noModels.md)', 'the link docs/noModels.md leads nowhere'],
    ['[Keys](docs/models.md#no-keys)', 'the link docs/models.md#no-keys leads nowhere'],
    ['![A chart](.github/pictures/none.png)', 'the link .github/pictures/none.png leads nowhere'],
    ['`src/runs/noRun.ts`', 'there is no src/runs/noRun.ts'],
    ['`src/noFolder/`', 'there is no src/noFolder/'],
    ['`helios.no.setting`', 'there is no setting helios.no.setting'],
    ['**Helios: Do Nothing**', 'there is no command Helios: Do Nothing'],
    ['a fresh work tree', 'write worktree, not work tree'],
    [`| ${'x'.repeat(120)} |`, `a line of a table has 124 columns: | ${'x'.repeat(38)}…`],
  ];
  for (const [text, problem] of faults)
    it(`a page with ${text.slice(0, 40)} has one`, () =>
      assert.deepEqual(problemsOf('README.md', text), [problem]));

  it('a page with names that exist has none, whatever its blocks of code hold', () => {
    const sound =
      '[Keys](docs/models.md#keys) `src/runs/` `src/**/*.sh` `helios.budget.*` **Helios: Add Machine**';
    const blocks =
      '\n\n    a work tree of `src/noFolder/`\n\n```json\n{ "helios.none": "`helios.none`" }\n```\n';
    assert.deepEqual(problemsOf('README.md', sound + blocks), []);
  });
});
