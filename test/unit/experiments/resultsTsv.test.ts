import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { UserFacing } from '../../../src/base/errors.ts';
import type { RunId } from '../../../src/base/ids.ts';
import { buildLedger } from '../../../src/experiments/buildLedger.ts';
import type { Decision, ExperimentPlan } from '../../../src/experiments/experiment.ts';
import type { Ledger, LedgerEntry, PlannedExperiment } from '../../../src/experiments/ledger.ts';
import { readResultsTsv, writeResultsTsv } from '../../../src/experiments/resultsTsv.ts';
import type { MetricSummary } from '../../../src/metrics/metric.ts';
import type { Verdict } from '../../../src/runs/run.ts';

const summary = (metric: string, value: number): MetricSummary => ({
  ...{
    metric,
    direction: metric === 'val_bpb' ? 'lower' : 'none',
    count: 1,
    last: value,
    lastStep: 1,
  },
  ...{ min: value, max: value, mean: value, best: value },
});

interface Tried {
  readonly hypothesis: string;
  readonly metrics: readonly MetricSummary[];
  readonly decision?: Decision;
  readonly verdict?: Verdict;
  readonly isDirty?: boolean;
}

function ledgerOf(tried: readonly Tried[]): Ledger {
  const records = new Map<string, PlannedExperiment>();
  const entries = tried.map(
    ({ hypothesis, metrics, decision, verdict = { kind: 'ok' }, isDirty = false }, index) => {
      const number = index + 1;
      const experimentId = `e${number}`;
      const code = {
        kind: 'git',
        repo: '/r',
        head: 'a'.repeat(40),
        tree: 't',
        isDirty,
        commit: 'b'.repeat(40),
        leftOut: [],
      } as const;
      const plan: ExperimentPlan = {
        ...{
          id: experimentId,
          number,
          hypothesis,
          machineId: 'local',
          command: `train ${number}`,
          cwd: '/r',
          code,
        },
        fingerprint: `${number}`,
      };
      const decisions =
        decision === undefined ? [] : [{ decision, why: 'w', by: 'agent' as const, atMs: 1 }];
      records.set(experimentId, { plan, plannedMs: 0, decisions });
      const entry: LedgerEntry = {
        ...{
          runId: `r-${number}` as RunId,
          number,
          machineId: 'local',
          handle: undefined,
          label: hypothesis,
          command: plan.command,
        },
        ...{ metrics, verdict, startedMs: 0, endedMs: 1, experimentId },
      };
      return entry;
    },
  );
  return buildLedger(entries, { experiments: records });
}

/** As the project that the form comes from describes it. */
const published = `commit\tval_bpb\tmemory_gb\tstatus\tdescription
a1b2c3d\t0.997900\t44.0\tkeep\tbaseline
b2c3d4e\t0.993200\t44.2\tkeep\tincrease LR to 0.04
c3d4e5f\t1.005000\t44.0\tdiscard\tswitch to GeLU activation
d4e5f6g\t0.000000\t0.0\tcrash\tdouble model width (OOM)
`;

describe('results.tsv', () => {
  it('has the published form, with measured values', () => {
    const text = writeResultsTsv(
      ledgerOf([
        {
          hypothesis: 'baseline',
          metrics: [summary('val_bpb', 0.9979), summary('peak_vram_mb', 45060.2)],
          decision: 'keep',
        },
        {
          hypothesis: 'a\ttab, a "quote"\nand a line',
          metrics: [summary('val_bpb', 1.005)],
          decision: 'discard',
          isDirty: true,
        },
        { hypothesis: 'wider', metrics: [], decision: 'crash', verdict: { kind: 'out_of_memory' } },
        { hypothesis: 'leaks', metrics: [summary('val_bpb', 0.5)], decision: 'invalid' },
        { hypothesis: 'undecided', metrics: [summary('val_bpb', 1.1), summary('memory_gb', 3.25)] },
      ]),
    );
    assert.equal(
      text,
      [
        'commit\tval_bpb\tmemory_gb\tstatus\tdescription',
        'aaaaaaa\t0.997900\t44.0\tkeep\tbaseline',
        "bbbbbbb\t1.005000\t\tdiscard\ta tab, a 'quote' and a line",
        'aaaaaaa\t0.000000\t0.0\tcrash\twider',
        'aaaaaaa\t0.500000\t\tdiscard\tleaks (invalid)',
        'aaaaaaa\t1.100000\t3.3\tdiscard\tundecided (not decided)',
        '',
      ].join('\n'),
    );
  });

  it('keeps the baseline, and leaves memory empty that nobody measured, also once imported', () => {
    const decided = (hypothesis: string, value: number, decision: Decision): Tried => ({
      ...{ hypothesis, metrics: [summary('val_bpb', value)], decision },
    });
    const text = writeResultsTsv(
      ledgerOf([
        decided('baseline', 1, 'reference'),
        decided('warmup', 0.9, 'keep'),
        decided('published model', 0.8, 'reference'),
      ]),
    );
    assert.deepEqual(
      text.split('\n').slice(1, 4),
      [
        '1.000000\t\tkeep\tbaseline (reference)',
        '0.900000\t\tkeep\twarmup',
        '0.800000\t\tdiscard\tpublished model (reference)',
      ].map((line) => `aaaaaaa\t${line}`),
    );
    assert.deepEqual(
      readResultsTsv(text).map(({ value, memoryGb, status }) => [value, memoryGb, status]),
      [
        [1, undefined, 'keep'],
        [0.9, undefined, 'keep'],
        [0.8, undefined, 'discard'],
      ],
    );
  });

  it('leaves out what goes on, and keeps what six decimals would lose', () => {
    const ledger = ledgerOf([{ hypothesis: 'small', metrics: [summary('val_bpb', 3.25e-7)] }]);
    assert.match(writeResultsTsv(ledger), /\t3\.250000e-7\t/);
    const [row] = ledger.experiments;
    assert.ok(row);
    const open = { ...ledger, experiments: [{ ...row, status: 'running' as const }] };
    assert.equal(writeResultsTsv(open), 'commit\tval_bpb\tmemory_gb\tstatus\tdescription\n');
  });

  it('is read as it is published', () => {
    assert.deepEqual(readResultsTsv(published), [
      {
        commit: 'a1b2c3d',
        metric: 'val_bpb',
        status: 'keep',
        description: 'baseline',
        value: 0.9979,
        memoryGb: 44,
      },
      {
        commit: 'b2c3d4e',
        metric: 'val_bpb',
        status: 'keep',
        description: 'increase LR to 0.04',
        value: 0.9932,
        memoryGb: 44.2,
      },
      {
        commit: 'c3d4e5f',
        metric: 'val_bpb',
        status: 'discard',
        description: 'switch to GeLU activation',
        value: 1.005,
        memoryGb: 44,
      },
      {
        commit: 'd4e5f6g',
        metric: 'val_bpb',
        status: 'crash',
        description: 'double model width (OOM)',
      },
    ]);
  });

  it('is read with other line ends, words, metrics and columns', () => {
    const text =
      '\uFEFFcommit\tscore\tsharpe\tstatus\tdescription\r\nabc\t-0.5\tx\tKEEP\t"first"\r\n\r\n';
    assert.deepEqual(readResultsTsv(text), [
      { commit: 'abc', metric: 'score', status: 'keep', description: 'first', value: -0.5 },
    ]);
  });

  const odd: Readonly<Record<string, readonly [line: string, read: object]>> = {
    'tabs in the text': ['a\t0.5\t1\tkeep\tone\ttwo\t', { value: 0.5, description: 'one two' }],
    'quotes of a spreadsheet': [
      '"a"\t"0.5"\t"1"\t"keep"\t"say ""hi"""',
      { value: 0.5, description: 'say "hi"' },
    ],
    'no value of what was discarded': [
      'a\tNaN\t1\tdiscard\tx',
      { value: undefined, description: 'x' },
    ],
    'an empty value of what was discarded': [
      'a\t\t1\tdiscard\tx',
      { value: undefined, description: 'x' },
    ],
    'signs that a terminal would obey': [
      '\u001b[2Ja\t0.5\t1\tkeep\t\u001b]0;x\u0007y\u0000',
      { commit: 'a', description: 'y' },
    ],
    'a number that is only one for programs': ['a\t0x10\t1\tcrash\tx', { value: undefined }],
  };
  for (const [what, [line, read]] of Object.entries(odd))
    it(`is read with ${what}`, () => {
      const [row] = readResultsTsv(`\n\ncommit\tloss\tmemory_gb\tstatus\tdescription\r${line}\r\n`);
      const found = Object.fromEntries(
        Object.keys(read).map((key) => [key, row?.[key as keyof typeof row]]),
      );
      assert.deepEqual(found, read);
    });

  const dialects: Readonly<Record<string, readonly [text: string, read: readonly unknown[]]>> = {
    'a hash, a decision and notes': [
      'hash\tdecision\tms_per_step\tacc\tnotes\nabc\tKept\t12\t0.5\tone\n',
      [['abc', 'acc', 0.5, 'keep', 'one']],
    ],
    'no commit and no description': [
      'experiment\tlr\tval_loss\toutcome\n1\t0.1\t0.5\taccepted\n2\t0.2\t0.6\treverted\n',
      [
        ['', 'val_loss', 0.5, 'keep', ''],
        ['', 'val_loss', 0.6, 'discard', ''],
      ],
    ],
    'a metric of an unknown name': [
      'run\tfrobnication\tstatus\tidea\n1\t7\tok\tone\n2\t\trunning\ttwo\n',
      [
        ['', 'frobnication', 7, 'ok', 'one'],
        ['', 'frobnication', undefined, 'unknown', 'two'],
      ],
    ],
    'failures, whatever number they hold and whatever was decided': [
      'commit\tloss\tstatus\tdecision\n' +
        ['crash', 'FAILED (exit code 1)', 'error', 'OOM', 'timeout', 'killed']
          .map((word) => `a\t0.000000\t${word}\tkeep\n`)
          .join(''),
      Array.from({ length: 6 }, () => ['a', 'loss', undefined, 'crash', '']),
    ],
    'an ending and a decision': [
      'commit\tloss\tstatus\tdecision\na\t0.5\tok\tdiscard\nb\t0.4\tok\t\n',
      [
        ['a', 'loss', 0.5, 'discard', ''],
        ['b', 'loss', 0.4, 'ok', ''],
      ],
    ],
  };
  for (const [what, [text, read]] of Object.entries(dialects))
    it(`is read with ${what}`, () =>
      assert.deepEqual(
        readResultsTsv(text).map((row) => [
          row.commit,
          row.metric,
          row.value,
          row.status,
          row.description,
        ]),
        read,
      ));

  it('reads what it wrote', () => {
    const tried = [
      { hypothesis: 'one', metrics: [summary('val_bpb', 0.25)], decision: 'keep' as const },
    ];
    const [read] = readResultsTsv(writeResultsTsv(ledgerOf(tried)));
    assert.deepEqual([read?.value, read?.status, read?.description], [0.25, 'keep', 'one']);
  });

  const wrong: Readonly<Record<string, [text: string, said: RegExp]>> = {
    'commas for tabs': [
      'commit,val_bpb,memory_gb,status,description\na,1,1,keep,b',
      /Line 1: the header is "commit,val_bpb/,
    ],
    'no header': ['a1b2c3d\t1\t1\tkeep\tx', /Line 1/],
    'no metric': ['commit\tstatus\tdescription\na\tkeep\tx', /Line 1/],
    'a column twice': [
      'commit\tloss\tstatus\tLoss\na\t1\tkeep\t2',
      /Line 1: .* which has "loss" twice/,
    ],
    'a line too short': ['commit\tloss\tstatus\na\t1', /Line 2: it has 2 fields/],
    'nothing in it': ['', /Line 1/],
    'a field too many': [
      'commit\tloss\tstatus\tdescription\tmemory_gb\na\t1\tkeep\tx\ty\t1',
      /Line 2: it has 6 fields, but the header has 5/,
    ],
    'no value of what is kept': [
      published.replace('0.993200', 'nan'),
      /Line 3: its val_bpb is "nan", not a number/,
    ],
    'another status': [published.replace('discard', 'maybe'), /Line 4: its status is "maybe"/],
    'no number': [
      published.replace('0.993200', 'n/a'),
      /Line 3: its val_bpb is "n\/a", not a number/,
    ],
    'many faults': [`${published}${'?\n'.repeat(12)}`, /Line 6: .* Line 15: .*… and 2 more lines/],
  };
  for (const [what, [text, said]] of Object.entries(wrong))
    it(`says which lines are wrong: ${what}`, () =>
      assert.throws(
        () => readResultsTsv(text, 'mine.tsv'),
        (error) =>
          error instanceof UserFacing &&
          error.message.startsWith('mine.tsv was not imported') &&
          said.test(error.message),
      ));
});
