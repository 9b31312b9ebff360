/** Words that no text of a front end uses: they name the user as the model does, or are no idiom. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import ts from 'typescript';
import { repositoryRoot } from '../setup/paths.ts';

const folders = ['src/vscode', 'src/cli', 'src/presentation', 'src/background', 'webview'];
const avoided = [
  /\bthe person\b/i,
  /\bgoes on\b/i,
  /\bis going\b/i,
  /\bbehind it\b/i,
  /\bby itself\b/i,
  // A pick is titled “Select a run”, as in VS Code.
  /\bwhich (?:run|session|machine|folder|format|sessions|experiment)\?$/i,
];

function textsOf(node: ts.Node): string[] {
  const own =
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node)
      ? [node.text]
      : [];
  return [...own, ...node.getChildren().flatMap(textsOf)];
}

describe('the wording of the front ends', () => {
  for (const folder of folders)
    it(`of ${folder} is that of VS Code`, () => {
      const files = readdirSync(join(repositoryRoot, folder), {
        recursive: true,
        encoding: 'utf8',
      });
      const wrong = files
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => {
          const text = readFileSync(join(repositoryRoot, folder, file), 'utf8');
          const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
          return textsOf(source).filter((one) => avoided.some((words) => words.test(one)));
        });
      assert.deepEqual(wrong, []);
    });

  it('of the manifest is that of VS Code', () => {
    const manifest = readFileSync(join(repositoryRoot, 'package.json'), 'utf8');
    for (const words of avoided) assert.doesNotMatch(manifest, words);
  });
});
