import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { RunId } from '../../../src/base/ids.ts';
import { renderDigest, type DigestInput, type DigestRun } from '../../../src/sleep/digest.ts';

const run = (number: number, more: Partial<DigestRun> = {}): DigestRun => ({
  runId: `r${number}` as RunId,
  name: `run ${number}`,
  value: 'loss 0.83',
  status: 'ended: ok after 3 min',
  details: ['lr=3e-4'],
  ...more,
});
const input = (more: Partial<DigestInput> = {}): DigestInput => ({
  cause: {
    kind: 'sleep',
    reason: 'the baseline',
    sleptMs: 7_800_000,
    wake: {
      why: 'trigger',
      met: ['run 7 has ended'],
      unmet: ['loss < 1'],
      errors: ['/x exists: gpu1 does not answer'],
    },
  },
  left: [],
  runs: [],
  sweeps: [],
  ...more,
});

const digestText = (...args: Parameters<typeof renderDigest>): string => renderDigest(...args).text;

describe('renderDigest', () => {
  it('says how long, why, and in a line for each run what it did, in columns', () => {
    const text = digestText(
      input({
        order: 'lowest loss first',
        runs: [
          run(7),
          run(12, {
            value: 'loss 0.9',
            status: 'running for 1 min',
            details: ['step 800', 'decreasing', '', 'gpu1:8'],
          }),
          run(9, {
            value: undefined,
            status: 'ended: failed (exit code 1) after 1 s',
            details: [],
          }),
        ],
      }),
    );
    assert.equal(
      text,
      [
        'Woke after 2 h 10 min: run 7 has ended.',
        'Reason for the sleep: the baseline',
        'Not met: loss < 1',
        'Could not be checked: <untrusted from="checks of conditions">/x exists: gpu1 does not answer</untrusted>',
        '',
        'Runs, lowest loss first:',
        '- run 7   loss 0.83  ended: ok after 3 min                  lr=3e-4',
        '- run 12  loss 0.9   running for 1 min                      step 800 · decreasing · gpu1:8',
        '- run 9              ended: failed (exit code 1) after 1 s',
      ].join('\n'),
    );
  });

  it('names no order of a single run', () =>
    assert.match(digestText(input({ order: 'lowest loss first', runs: [run(7)] })), /^Runs:$/m));

  it('stays within its bound with whatever it is given', () => {
    const long = '`'.repeat(5000) + 'x '.repeat(50_000);
    for (const maxChars of [500, 1000, 4000])
      for (const count of [1, 5, 300]) {
        const text = digestText(
          input({
            cause: {
              kind: 'sleep',
              reason: long,
              sleptMs: 1,
              wake: { why: 'trigger', met: [long], unmet: [long], errors: [long] },
            },
            order: long,
            runs: Array.from({ length: count }, (_, n) =>
              run(n, { value: long, status: long, details: [long] }),
            ),
          }),
          maxChars,
        );
        assert.ok(text.length <= maxChars, `${text.length} of ${maxChars}`);
        const [opened, closed] = [/<untrusted/g, /<\/untrusted>/g].map(
          (mark) => text.match(mark)?.length,
        );
        assert.equal(opened, closed, 'a mark is left open');
        if (maxChars === 4000 && count === 300) assert.match(text, /- … and \d+ more/);
      }
  });

  it('returns the runs that have a line, without those that did not fit', () => {
    const runs = Array.from({ length: 300 }, (_, n) => run(n));
    const few = renderDigest(input({ runs: runs.slice(0, 3) }));
    assert.deepEqual(few.runIds, ['r0', 'r1', 'r2']);
    const { text, runIds } = renderDigest(input({ runs }));
    const lines = text.match(/^- run \d+/gm) ?? [];
    assert.deepEqual(
      lines,
      runIds.map((id) => `- run ${id.slice(1)}`),
    );
    assert.match(text, new RegExp(`- … and ${300 - runIds.length} more`));
    assert.deepEqual(renderDigest(input()).runIds, []);
  });

  it('names every reason to wake', () => {
    const text = (why: 'deadline' | 'person' | 'run_ended'): string =>
      digestText(
        input({
          cause: {
            kind: 'sleep',
            reason: 'r',
            sleptMs: 0,
            wake: { why, met: [], unmet: [], errors: [] },
          },
        }),
      );
    assert.match(text('deadline'), /the deadline has passed/);
    assert.match(text('person'), /the user wrote or answered/);
    assert.match(text('run_ended'), /can no longer happen/);
  });

  it('heads a check-in as one', () => {
    const cause = {
      kind: 'monitor',
      goal: 'loss falls',
      elapsedMs: 600_000,
      intervalMs: 120_000,
    } as const;
    assert.equal(
      digestText(input({ cause })),
      'Check-in, every 2 min, 10 min since the start. Watching: loss falls',
    );
  });
});
