import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'mocha';
import { asArgumentLists } from '../../../../src/permissions/commands/argumentLists.ts';
import { classify } from '../../../../src/permissions/commands/classify.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';
import { loadShell } from '../../../../src/shell/grammar.ts';
import { random, seedOf } from '../../../fakes/random.ts';

const lines = readFileSync(new URL('./lines.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => (JSON.parse(line) as { line: string }).line);

const scraps =
  '\' " ` $ $( ) ( { } ; & | && || > >> < << <<< \\ \n # ! * ? [ ] ~ = $x ${x} $\'\\n\' <( -delete -exec sh rm .. / ; 2>&1 >/dev/null \t \r \u00a0 \u202e  time eval for f in a* ;do "$f" ;done if ;then else ;fi while read -r {1..3} LC_ALL=C (ls) $(ls)'.split(
    ' ',
  );

const place = {
  workFolder: '/home/ada/project',
  home: '/home/ada',
  rules: usualPaths,
  realPath: (path: string) => path,
  exists: () => true,
  matches: (pattern: string) => [pattern.replace(/[*?]/g, 'a')],
  keyFiles: () => [],
  oddFiles: () => [],
};

describe('the classifier of command lines, on random lines,', () => {
  before(loadShell);

  it('never throws, and calls no line safe that bash refuses or would read otherwise', () => {
    const next = random(seedOf('HELIOS_LINES_SEED', 1));
    const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
    const mutate = (line: string): string => {
      const at = Math.floor(next() * (line.length + 1));
      const cut = next() < 0.3 ? at + Math.floor(next() * 3) : at;
      return line.slice(0, at) + pick([...scraps, pick(lines)]) + line.slice(cut);
    };
    const safe: string[] = [];
    for (let count = 0; count < 3_000; count += 1) {
      let line = pick(lines);
      for (let times = 1 + Math.floor(next() * 3); times > 0; times -= 1) line = mutate(line);
      const verdict = classify(line, place);
      if (verdict.kind === 'safe') safe.push(line);
      else assert.notEqual(verdict.reason, '', line);
    }
    // What runs in place of a safe line is safe, too.
    for (const line of safe) {
      const text = asArgumentLists(line, '/home/ada') || ':';
      assert.equal(classify(text, place).kind, 'safe', `${line}\n${text}`);
    }
    assert.ok(safe.length > 50, `only ${safe.length} safe lines`);
    // Each as a function that is never called: bash reads all of them in one process.
    // A carriage return at the end of a line is not part of it.
    const plain = safe.map((line) => line.replace(/\r+(?=\n|$)/g, ''));
    const wrapped = plain.map((line, index) => `f${index}() {\n:\n${line}\n}`);
    for (const text of [wrapped, safe.map((line) => asArgumentLists(line, '/home/ada') || ':')]) {
      const { status, stderr } = spawnSync('/bin/bash', ['-n'], {
        input: text.join('\n'),
        encoding: 'utf8',
      });
      assert.equal(`${status} ${stderr}`, '0 ');
    }
  });
});
