import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { slug } from '../../../src/base/slug.ts';
import { buildBrief, buildRuns, buildWriteup } from '../../../src/reports/brief.ts';
import { lossOf, Night } from '../../fakes/nights.ts';
import { assertInProportion } from '../../fakes/proportion.ts';

const nasty =
  '# x\n| a | b |\n```\n`` <u>code</u> `` <script>alert(1)</script> <img src=x onerror=alert(1)> [run 1](command:evil) ![p](http://evil/x.png) \u001b[31mred\u001b[0m </a> <!-- & &lt; *b* _i_ ~s~';

function nastyNight(): Night {
  const night = new Night(`loss < 1 ${nasty}`);
  night.experiment(
    { hypothesis: nasty, decision: { is: 'discard', why: nasty } },
    { loss: 0.5, label: nasty, command: nasty, machineId: 'm|x`y' },
  );
  night.run({ verdict: { kind: 'lost', why: nasty }, outputTail: nasty, label: nasty });
  night.run({ metrics: [lossOf(1, { metric: 'lo|ss<b>' })] });
  const runId = night.run({ loss: 2 });
  night.add({ type: 'run.alarmed', runId, kind: 'silence', detail: nasty, action: 'ask' });
  night.add({
    type: 'question.asked',
    questionId: 'q1',
    text: nasty,
    options: [],
    fallback: nasty,
    deadlineMs: 1,
  });
  night.add({ type: 'session.paused', by: 'error', detail: nasty });
  return night.end('blocked', nasty);
}

/** Without what our own text has of HTML, and without what is code. */
const bare = (markdown: string): string =>
  markdown
    .replace(/<a id="[\w-]+"><\/a>/g, '')
    .replace(/(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, '');

describe('a brief of hostile words', () => {
  const facts = nastyNight().facts();
  for (const [name, text] of [
    ['brief', buildBrief(facts)],
    ['write-up', buildWriteup(facts, 'We began.')],
    ['list of runs', buildRuns(facts)],
  ] as const) {
    it(`${name}: nothing in them is HTML, a link or a picture`, () => {
      assert.doesNotMatch(bare(text), /(?<!\\)</);
      assert.doesNotMatch(bare(text), /(?<!\\)\[[^\]]*(?<!\\)\]\((?!#|runs\.md)/);
      assert.doesNotMatch(bare(text), /!\[/);
    });

    it(`${name}: they begin no heading, list, table or code`, () => {
      const own =
        /^(?:# loss|# Runs of|## (?:To decide|What you asked for|Champion|Results|What was tried|Failures|Alarms|Cost|What happened|Runs|Account))/;
      for (const line of text.split('\n')) if (line.startsWith('#')) assert.match(line, own);
      assert.doesNotMatch(text, /^\s*(?:>\s*)?```/m);
      assert.ok(!text.includes('\u001b'));
    });

    it(`${name}: each row of the table has its cells`, () => {
      const rows = text.split('\n').filter((line) => line.startsWith('|'));
      const [head] = rows;
      assert.ok(head !== undefined && rows.length >= 4);
      const cells = (row: string): number | undefined => row.match(/(?<!\\)\|/g)?.length;
      for (const row of rows) assert.equal(cells(row), cells(head), row);
    });
  }

  it('stays small with ten thousand runs, and takes time in proportion to them', () => {
    const night = new Night();
    for (let number = 1; number <= 10; number += 1)
      night.experiment({ hypothesis: 'h' }, { loss: number });
    const facts = night.facts();
    const [first] = facts.ledger.experiments;
    assert.ok(first !== undefined);
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      ...facts.ledger.rows[index % 10]!,
      number: index + 1,
      runId: `r-${index}` as never,
      ...(index % 3 === 0 && { verdict: { kind: 'failed', code: index } as const }),
    }));
    const runs = rows.map(({ runId, number }, index) => ({
      ...facts.runs[0]!,
      id: runId,
      number,
      outcome: index % 3 === 0 ? ('bad' as const) : ('ok' as const),
      status: `failed (exit code ${index})`,
      lastLine: `line ${index}`,
    }));
    const experiments = rows.map((row, index) => ({ ...first, id: `e${index}`, runs: [row] }));
    const briefOf = (max: number): string =>
      buildBrief({
        ...facts,
        runs: runs.slice(0, max),
        ledger: {
          ...facts.ledger,
          rows: rows.slice(0, max),
          experiments: experiments.slice(0, max),
        },
      });
    const text = briefOf(10_000);
    assert.ok(text.length < 60_000, `${text.length} characters`);
    assertInProportion((share) => briefOf(share * 10_000));
    assert.match(text, /and 6663 more\. Keep or discard\?/);
    assert.match(text, /\[All 10000 runs\]\(runs\.md\)/);
  });

  it('makes names of files that are safe everywhere', () => {
    const cases = [
      ['../../etc/passwd', 'etc-passwd'],
      ['val/loss', 'val-loss'],
      ['CON:<>|"?*', 'con'],
      ['日本語', ''],
      ['a'.repeat(100), 'a'.repeat(40)],
    ] as const;
    for (const [text, name] of cases) assert.equal(slug(text, 40), name);
  });
});
