import assert from 'node:assert/strict';
import { readTarget } from '../../../src/experiments/target/readTarget.ts';
import { before, describe, it } from 'mocha';
import { applyEvent } from '../../../src/agent/journal/fold.ts';
import type { JournalEvent } from '../../../src/agent/journal/events.ts';
import type { Ledger } from '../../../src/experiments/ledger.ts';
import { plainLines } from '../../../src/base/markdown.ts';
import { noUsage } from '../../../src/models/model.ts';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import { judge, type MetricComparison } from '../../../src/metrics/compare.ts';
import { loadShell } from '../../../src/shell/grammar.ts';
import { comparisonDocument } from '../../../src/presentation/runs/comparison.ts';
import { isInside } from '../../../src/vscode/ui/folders.ts';
import { journalDocument } from '../../../src/vscode/sessions/journalDocument.ts';
import { cleanUpDocument } from '../../../src/vscode/sessions/cleanUpDocument.ts';
import { panelState } from '../../../src/vscode/metrics/panelState.ts';
import { recorded, rowOf, startMs, started, stateOf, summaryOf } from './states.ts';

const champion = rowOf(2, {
  isChampion: true,
  metrics: [summaryOf('lr', 0.1, 'none'), summaryOf('val/loss', 0.83)],
});
const ledger: Ledger = {
  ...{ experiments: [], imported: [] },
  rows: [rowOf(1, { verdict: { kind: 'failed', code: 3 } }), champion],
  decisive: { metric: 'loss', direction: 'lower', rule: 'last' as const },
  champion,
};

describe('journal document', () => {
  const first = started('bring loss < 1.0');
  const events: JournalEvent[] = [
    first,
    recorded({ type: 'message.added', origin: 'goal', text: 'bring loss < 1.0' }),
    recorded({ type: 'message.added', origin: 'person', text: 'a smaller\n# rate' }),
    recorded({ type: 'tool.started', callId: 'c', name: 'exec', effect: 'execute', title: 'exec' }),
    recorded({
      type: 'tool.finished',
      callId: 'c',
      name: 'exec',
      text: '',
      isError: false,
      durationMs: 1,
      summary: 'ran',
    }),
    recorded(
      { type: 'session.ended', reason: 'goal', summary: 'Done.', evidence: [] },
      startMs + 120_000,
    ),
  ];
  const state = events.slice(1).reduce(applyEvent, stateOf());

  it('reads from top to bottom: what, where it stands, the runs, then the events by minute', () => {
    const text = journalDocument({ state, events, ledger, damage: [] }, startMs + 200_000);
    const order = [
      '# bring loss \\< 1.0',
      'Goal met',
      '## Runs',
      '2 (champion)',
      '## Journal',
      '### 2026-11-20 14:03',
      'exec · ran',
    ];
    const places = [...order, '### 2026-11-20 14:05', '**Goal met**', 'Done.'].map((part) =>
      text.indexOf(part),
    );
    assert.ok(
      places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1)),
      `${places.join()}\n${text}`,
    );
  });

  it('quotes what a user said, as they said it', () => {
    const text = journalDocument({ state, events, ledger, damage: [] }, startMs);
    assert.match(text, /\*\*You\*\*\n\n> a smaller\n> \\# rate/);
    assert.equal(text.match(/bring loss/g)?.length, 1);
  });

  it('says that a journal is damaged', () => {
    const text = journalDocument({ state, events, ledger, damage: ['line 7 is torn'] }, startMs);
    assert.match(text, /damaged:\*\* line 7 is torn/);
  });
});

describe('documents of hostile text', () => {
  const image = '![p](https://evil/x.png)';
  const nasty = [
    `${image} [run](command:evil) <img src="https://evil/y.png"> <https://evil/> &lt; $(bug)`,
    `[r]: https://evil/z.png\r${image}\u2028# heading`,
    '',
    `    ${image}`,
    `- ${image}`,
    `1. ${image}`,
    `> ${image}`,
    `| ${image} | b |`,
    '| :-- | :-- |',
    '`',
    '``` html',
    `${image}`,
    '~~~',
    '```',
    image,
    '===',
    '~~~mermaid',
    `\`\`\`\n${image}`,
  ].join('\n');
  /** Lines outside code blocks. */
  const bare = (markdown: string): string =>
    markdown.replace(/^(?:> )?(`{3,})\n[\s\S]*?\n\1$/gm, '');
  const assertQuiet = (markdown: string): void => {
    const text = bare(markdown);
    assert.doesNotMatch(text, /(?<!\\)[<[\]|]/m);
    assert.doesNotMatch(text, /(?<!\\)&(?!lt;)|(?<!\\)\$\(/);
    assert.doesNotMatch(text, /^(?: {4}|\t)/m);
    assert.doesNotMatch(text, /\r(?!\n)/);
    assert.doesNotMatch(markdown, /^`{3,}.*\w/m);
    assert.match(text, /!\\\[p\\\]\(https:/);
  };

  const texts: [string, JournalEvent[]][] = [
    [
      'a reply of the model',
      [
        recorded({ type: 'model.requested', turn: 1, provider: 'claude', model: 'm' }),
        recorded({
          ...{ type: 'model.replied', turn: 1, provider: 'claude', model: 'm', stop: 'stop' },
          content: [{ type: 'text', text: nasty }],
          ...{ usage: noUsage, cost: { usd: 0 } },
        }),
      ],
    ],
    [
      'the summary of the end',
      [recorded({ type: 'session.ended', reason: 'goal', summary: nasty, evidence: [] })],
    ],
    ['a message', [recorded({ type: 'message.added', origin: 'person', text: nasty })]],
    [
      'the result of a call',
      [
        recorded({
          ...{ type: 'tool.finished', callId: 'c', name: 'exec', durationMs: 1, isError: true },
          text: nasty,
          changedFiles: [nasty],
        }),
      ],
    ],
    ['the reason of an alarm', [recorded({ type: 'session.paused', by: 'error', detail: nasty })]],
  ];
  for (const [name, more] of texts)
    it(`load nothing and run nothing: ${name}`, () => {
      const events = [started('a goal'), ...more];
      const state = events.slice(1).reduce(applyEvent, stateOf());
      const empty: Ledger = { experiments: [], imported: [], rows: [] };
      assertQuiet(journalDocument({ state, events, ledger: empty, damage: [] }, startMs));
    });

  it('load nothing and run nothing: the sessions to remove', () => {
    const text = cleanUpDocument([['s-1', 'keep: open', nasty]]);
    assertQuiet(text.replaceAll(' | ', ' ').replace(/^\| | \|$/gm, ''));
    assert.equal(text.trimEnd().split('\n').length, 5);
  });

  it('keep the lines and the code of a reply', () => {
    assert.equal(
      plainLines('a *b*\n- c\n\n``` py\nx = "*"\n```\nd'),
      'a \\*b\\*\\\n\\- c\n\n```\nx = "*"\n```\n\nd',
    );
  });
});

describe('comparison of two runs', () => {
  before(loadShell);

  it('says better and worse at the end, at best and at equal step', () => {
    const metric: MetricComparison = {
      metric: 'loss',
      direction: 'lower',
      baseline: summaryOf('loss', 1),
      experiment: summaryOf('loss', 0.5),
      atEnd: judge(1, 0.5, 'lower'),
      atBest: judge(1, 0.5, 'lower'),
      atEqualStep: { ...judge(1, 1.25, 'lower'), by: 'step', position: 100 },
    };
    const text = comparisonDocument({
      baseline: rowOf(1),
      experiment: rowOf(2),
      metrics: [metric],
    });
    assert.match(text, /^# Run 1 vs\. Run 2\n/);
    assert.match(text, /\| Metric \|  \| Run 1 \| Run 2 \|/);
    assert.match(text, /\| loss \| last \| 1 \| 0\.5 \| ▼ 50\.0 % better \|/);
    assert.match(text, /\| loss \| step 100 \| 1 \| 1\.25 \| ▲ 25\.0 % worse \|/);
  });

  it('begins with what differs, and shows both curves', () => {
    const commands = [
      'python train.py --lr 0.1 --seed 1 --wd 0',
      'python train.py --lr 1e-3 --wd 0',
    ];
    const [one, other] = commands.map((command, index) => rowOf(index + 1, { command }));
    assert.ok(one && other);
    const text = comparisonDocument({
      baseline: one,
      experiment: { ...other, machineId: 'gpu9' },
      metrics: [],
      code: ['9fceb02', '1234567'],
      charts: [{ metric: 'loss', svg: '<svg/>' }],
    });
    const [, block = ''] = text.split('## What differs');
    const rows = (block.split('##')[0] ?? '').match(/^\| .*\|$/gm)?.slice(2);
    assert.deepEqual(
      rows?.map((row) => row.split('|')[1]?.trim()),
      ['lr', 'Code', 'Machine'],
    );
    assert.match(text, /\| Code \| 9fceb02 \| 1234567 \|/);
    assert.match(text, /!\[loss\]\(data:image\/svg\+xml;base64,PHN2Zy8\+\)/);
    assert.ok(text.indexOf('What differs') < text.indexOf('## Commands'));
  });

  it('says why a watchdog ended a run', () => {
    const alarm = { detail: 'loss became NaN at step 3', action: 'kill' } as const;
    const killed = rowOf(1, { verdict: { kind: 'killed' }, alarm });
    const words = 'killed after the alarm: loss became NaN at step 3';
    assert.ok(
      comparisonDocument({ baseline: killed, experiment: rowOf(2), metrics: [] }).includes(
        `| ${words} |`,
      ),
    );
    const panel = panelState({ state: stateOf({}), ledger: { ...ledger, rows: [killed] } });
    assert.equal(panel.runs[0]?.status, words);
  });

  it('says so where there is nothing to compare', () => {
    assert.match(
      comparisonDocument({ baseline: rowOf(1), experiment: rowOf(2), metrics: [] }),
      /Neither run/,
    );
  });
});

describe('state of the metrics panel', () => {
  it('puts the metric of the goal first, with its line, and marks the champion', () => {
    const state = stateOf({ target: readTarget('loss < 1')! });
    const panel = panelState({ state, ledger });
    assert.deepEqual(
      panel.metrics.map(({ name, target }) => [name, target]),
      [
        ['loss', 1],
        ['val/loss', 1],
        ['lr', undefined],
      ],
    );
    assert.deepEqual(
      panel.runs.map(({ name, status, isGood, isChampion }) => [name, status, isGood, isChampion]),
      [
        ['run 1', 'failed (exit code 3)', false, false],
        ['run 2', 'ok', true, true],
      ],
    );
    assert.deepEqual(panel.ranking, [2]);
    assert.deepEqual(panel.runs[1]?.metrics['val/loss'], {
      last: '0.83',
      best: '0.83',
      points: 10,
    });
  });

  it('offers metrics that grow in each run as the horizontal axis', () => {
    const grows = { ...summaryOf('tokens', 50), direction: 'none', min: 0, max: 50 } as const;
    const falls = { ...summaryOf('lr', 1), direction: 'none', min: 1, max: 3 } as const;
    const still = { ...summaryOf('width', 8), direction: 'none', min: 8, max: 8 } as const;
    const better = { ...summaryOf('acc', 1), direction: 'higher', min: 0, max: 1 } as const;
    const counters = (...rows: Parameters<typeof rowOf>[1][]) =>
      panelState({
        state: stateOf(),
        ledger: buildLedger(rows.map((row, index) => rowOf(index + 1, row))),
      }).metrics.flatMap(({ name, isCounter }) => (isCounter ? name : []));
    assert.deepEqual(counters({ metrics: [grows, falls, still, better] }), ['tokens']);
    const shrunk = { ...grows, last: 20 };
    assert.deepEqual(counters({ metrics: [grows] }, { metrics: [shrunk] }), []);
  });

  it('groups seeds, ranks the groups, and has the band of the champion', () => {
    const rows = [
      [1, 0.1, 0.5],
      [2, 0.1, 0.7],
      [3, 0.2, 0.4],
      [4, 0.2, 0.2],
    ].map(([number = 0, rate, loss = 0]) =>
      rowOf(number, {
        experimentId: 'e1',
        command: `python3 train.py --lr ${rate} --seed ${number}`,
        label: `lr=${rate} seed=${number}`,
        metrics: [summaryOf('loss', loss)],
      }),
    );
    const panel = panelState({ state: stateOf(), ledger: buildLedger(rows) });
    assert.deepEqual(
      panel.groups.map(({ name, label, metrics }) => [name, label, metrics['loss']?.last]),
      [
        ['runs 1, 2', 'lr=0.1', '0.6 ± 0.141'],
        ['runs 3, 4', 'lr=0.2', '0.3 ± 0.141'],
      ],
    );
    assert.deepEqual(panel.ranking, [2, 1]);
    const { pooled, ...decisive } = panel.decisive ?? {};
    assert.equal(pooled?.toFixed(4), '0.1414');
    assert.deepEqual(decisive, { metric: 'loss', rule: 'last', champion: 0.30000000000000004 });
    assert.deepEqual(panel.runs[2]?.parameters, { lr: '0.2' });
    assert.equal(panel.runs[2]?.seed, '3');
    assert.deepEqual(
      panel.runs.map(({ group }) => group),
      [1, 1, 2, 2],
    );
    const { champion } = panel.metrics[0] ?? {};
    assert.deepEqual(
      [champion?.mean, champion?.spread.toFixed(4)],
      [0.30000000000000004, '0.1414'],
    );
  });
});

describe('folders', () => {
  it('know what lies inside them', () => {
    assert.equal(isInside('/a/b', '/a/b'), true);
    assert.equal(isInside('/a/b', '/a/b/..c'), true);
    assert.equal(isInside('/a/b', '/a'), false);
    assert.equal(isInside('/a/b', '/a/bc'), false);
  });
});
