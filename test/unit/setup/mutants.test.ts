/**
 * How mutants are found, drawn and matched with tests; that tests kill them, `npm run mutants`
 * shows.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { executedLines, testsFor, type CoverageMap } from '../../mutants/coverage.ts';
import { linesOf, hashOf, mutated, parseAimed, place, type Sources } from '../../mutants/mutant.ts';
import { changesIn, draw } from '../../mutants/random.ts';

const guard = `export async function guard(log: Log, given: number[]): Promise<number> {
  if (given.length < 3) return 0;
  logger.warn(given.slice(1).join());
  log.close();
  await log.flush();
  return given.slice(1).length + 1;
}
`;

describe('mutants', () => {
  describe('aimed', () => {
    const blocks =
      '# words\n\n@@ A1 agent/loop src/a.ts\n-  one();\n-  two();\n+  two();\n\n@@ A2 base src/a.ts\n-!== 0 \n';
    const [swap = assert.fail(), drop = assert.fail()] = parseAimed(blocks);
    const placed = (text: string, elsewhere = '', aimed = swap): string => {
      const sources = new Map([
        ['src/a.ts', text],
        ['src/b.ts', elsewhere],
      ]);
      const found = place(aimed, sources);
      return typeof found === 'string'
        ? found
        : `${found.file}: ${mutated(sources.get(found.file) ?? '', found)}`;
    };

    it('reads blocks as they stand, without a replacement where there is none', () => {
      const first = {
        id: 'A1',
        part: 'agent/loop',
        file: 'src/a.ts',
        find: '  one();\n  two();',
        replace: '  two();',
      };
      assert.deepEqual(swap, first);
      assert.deepEqual(drop, {
        id: 'A2',
        part: 'base',
        file: 'src/a.ts',
        find: '!== 0 ',
        replace: '',
      });
    });

    it('changes the one place that has the text', () => {
      assert.equal(placed('{\n  one();\n  two();\n}'), 'src/a.ts: {\n    two();\n}');
      assert.equal(placed('a !== 0 && b', '', drop), 'src/a.ts: a  && b');
    });

    it('finds text whose lines are divided in another way, with or without a comma at the end', () => {
      const find = 'return [one(a, b), x.$two({ c: "d e" }, /[+]/)];';
      const aimed = { ...swap, find, replace: 'return;' };
      for (const text of [
        find,
        'return [\n  one(a, b),\n  x\n    .$two({ c: "d e" }, /[+]/),\n];',
        'return [\n  one(\n    a,\n    b,\n  ),\n  x.$two(\n    {\n      c: "d e",\n    }, /[+]/,\n  ),\n];',
      ])
        assert.equal(placed(`{ ${text} }`, '', aimed), 'src/a.ts: { return; }');
      const divided = { ...aimed, find: 'one(\n  a,\n  b,\n)' };
      assert.equal(placed('[one(a, b)]', '', divided), 'src/a.ts: [return;]');
    });

    it('keeps words apart and whole', () => {
      const aimed = { ...swap, find: 'a newWord', replace: 'b' };
      assert.equal(
        placed('anewWord; a new Word; a\nnewWord', '', aimed),
        'src/a.ts: anewWord; a new Word; b',
      );
    });

    it('looks in every file when the text is not in its own', () => {
      assert.equal(placed('', '  one();\n  two();'), 'src/b.ts:     two();');
    });

    it('tells that the text is nowhere, or at two places', () => {
      assert.equal(placed('  two();'), 'its text stands nowhere');
      assert.equal(placed('  one();\n  two();\n  one();\n  two();'), 'its text stands 2 times');
    });
  });

  describe('drawn', () => {
    it('offers conditions, calls, awaits and edges, and nothing that only logs', () => {
      assert.deepEqual(
        changesIn('guard.ts', guard).map(({ kind, start, end, replace }) => [
          kind,
          guard.slice(start, end),
          replace,
        ]),
        [
          ['condition', 'given.length < 3', '!(given.length < 3)'],
          ['edge', '<', '<='],
          ['call', 'log.close();', ';'],
          ['call', 'await log.flush();', ';'],
          ['await', 'await log.flush()', 'log.flush()'],
          ['edge', '1', '0'],
          ['edge', '1', '2'],
        ],
      );
    });

    it('keeps an await that only passes a result on', () => {
      const kept = 'async () => { return await run(); }';
      assert.deepEqual(changesIn('a.ts', kept), []);
      const needed = 'async () => { try { return await run(); } catch { return 0; } }';
      assert.deepEqual(
        changesIn('a.ts', needed).map(({ kind }) => kind),
        ['await'],
      );
    });

    const sources = (text: string): Sources => new Map([['src/notify/guard.ts', text]]);
    const idsOf = (text: string, seed: number): readonly string[] =>
      draw('notify', sources(text), seed, 4).map(({ id }) => id);

    it('draws each kind once before one comes again', () => {
      const drawn = draw('notify', sources(guard), 1, 4).map(({ start, end }) =>
        guard.slice(start, end),
      );
      assert.equal(drawn[0], 'given.length < 3');
      assert.match(drawn[1] ?? '', /^log\.close|^await log\.flush\(\);$/);
      assert.equal(drawn[2], 'await log.flush()');
      assert.match(drawn[3] ?? '', /^[<1]$/);
    });

    it('draws the same with the same seed, also when other lines have changed', () => {
      assert.deepEqual(idsOf(`// More words\n${guard}`, 1), idsOf(guard, 1));
      const draws = new Set([1, 2, 3, 4, 5, 6].map((seed) => idsOf(guard, seed).join()));
      assert.ok(draws.size > 1, 'the seed makes no difference');
    });

    it('leaves other parts alone', () => {
      assert.deepEqual(draw('runs', sources(guard), 1, 4), []);
    });
  });

  describe('coverage', () => {
    it('counts the innermost range', () => {
      const text = 'a();\nif (b) {\n  c();\n}\n\nd();\n';
      const ranges = [
        { startOffset: 0, endOffset: text.length, count: 1 },
        { startOffset: text.indexOf('{'), endOffset: text.indexOf('}') + 1, count: 0 },
      ];
      assert.deepEqual(executedLines(text, ranges), [1, 2, 6]);
    });

    const mutant = {
      id: 'x',
      part: 'runs',
      file: 'src/runs/kill.ts',
      start: 5,
      end: 10,
      replace: '',
    };
    const text = 'one;\n  two;\nthree;\n';
    const covering = (tests: Record<string, { lines: string; ms: number }>): CoverageMap =>
      Object.fromEntries(
        Object.entries(tests).map(([name, { lines, ms }]) => [
          `test/unit/${name}.test.ts`,
          { hash: '', ms, lines: { [mutant.file]: [hashOf(text), lines] as const } },
        ]),
      );
    const chosen = (map: CoverageMap, code = text, max = 2): readonly string[] =>
      testsFor(mutant, map, new Map([[mutant.file, code]]), max).map((test) => test.slice(10, -8));

    it('names the lines that a mutant changes, not the end of the line before', () => {
      assert.deepEqual(linesOf(text, { start: 4, end: 10 }), { first: 2, last: 2 });
    });

    it('asks the tests of the folder first, then those that execute most of the file; the fastest comes first', () => {
      const map = covering({
        'agent/loop': { lines: '1-3', ms: 1 },
        'agent/resume': { lines: '2-2', ms: 1 },
        'runs/kill': { lines: '1-3', ms: 9 },
        'runs/adopt': { lines: '1-1,3-3', ms: 1 },
      });
      assert.deepEqual(chosen(map), ['agent/loop', 'runs/kill']);
    });

    it('takes a file as a whole that has changed since', () => {
      const map = covering({ 'runs/adopt': { lines: '1-1', ms: 1 } });
      assert.deepEqual([chosen(map), chosen(map, `${text}\n`)], [[], ['runs/adopt']]);
    });

    it('asks tests that take long only where no other executes the line', () => {
      const crash = { lines: '1-3', ms: 1 };
      assert.deepEqual(chosen(covering({ 'agent/crash': crash })), ['agent/crash']);
      assert.deepEqual(chosen(covering({ 'agent/crash': crash, 'agent/loop': crash })), [
        'agent/loop',
      ]);
    });

    it('asks more of the own folder than of others', () => {
      const own = ['runs/a', 'runs/b', 'runs/c', 'runs/d', 'runs/e'].map((name, ms) => [
        name,
        { lines: '1-3', ms },
      ]);
      assert.equal(
        chosen(covering(Object.fromEntries(own) as Parameters<typeof covering>[0])).length,
        4,
      );
    });
  });
});
