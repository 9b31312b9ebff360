import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { renderBriefing, type BriefingFacts } from '../../../../src/agent/context/briefing.ts';
import { foldSession } from '../../../../src/agent/journal/fold.ts';
import { interruptedPrefix } from '../../../../src/agent/context/history.ts';
import { openPoints } from '../../../../src/agent/context/openPoints.ts';
import { ledgerOf } from '../../../../src/agent/runs/sessionLedger.ts';
import type { RunId, SessionId } from '../../../../src/base/ids.ts';
import { textTokens } from '../../../../src/base/textTokens.ts';
import type { MemoryNode } from '../../../../src/memory/memoryNode.ts';
import type { MetricSummary } from '../../../../src/metrics/metric.ts';
import { JournalOf } from '../../../fakes/journalOf.ts';
import { random } from '../../../fakes/random.ts';

const loss = (best: number): MetricSummary => ({
  ...{ metric: 'loss', direction: 'lower', count: 9, last: best, lastStep: 9 },
  ...{ min: best, max: 3, mean: 1, best },
});

function addRun(
  journal: JournalOf,
  number: number,
  best?: number,
  text = 'train.py --lr 3e-4',
): void {
  const id = `r-${number}` as RunId;
  const base = {
    sessionId: 's-1' as SessionId,
    machineId: 'local',
    cwd: '/',
    env: {},
    metrics: {},
    plannedMs: 0,
  };
  journal.add({
    type: 'run.planned',
    callId: 'c',
    spec: { ...base, id, number, command: text, label: `label ${text}` },
  });
  const process = { pid: 100 + number, startTime: '1', bootId: 'b', startedMs: 1 };
  journal.add({ type: 'run.started', runId: id, process });
  if (best === undefined) return;
  journal.add({
    type: 'run.ended',
    runId: id,
    verdict: { kind: 'ok' },
    endedMs: 2,
    metrics: [loss(best)],
  });
}

function factsOf(journal: JournalOf, notes: readonly MemoryNode[] = []): BriefingFacts {
  const state = foldSession(journal.events);
  assert.ok(state);
  const ledger = ledgerOf(state, (run) => run.metrics);
  return { state, ledger, replaced: journal.events, notes };
}

const notes = (count: number): MemoryNode[] =>
  Array.from({ length: count }, (_, n) => ({
    path: `/n${n}`,
    gist: `finding number ${n}`,
    type: 'file',
    updatedMs: n,
  }));

const words = [
  'loss',
  '学习率很重要',
  'batch_size=64',
  'Ünïcödé',
  '🙂🙃',
  '0.123456789',
  '\n\n',
  '{"a":[1,2]}',
  '   ',
];

describe('briefing', () => {
  it('never exceeds its budget, and always has the goal and the best run', () => {
    const next = random(7);
    const pick = (count: number): string =>
      Array.from(
        { length: Math.floor(next() * count) },
        () => words[Math.floor(next() * words.length)],
      ).join(' ');
    for (let round = 0; round < 150; round += 1) {
      const journal = new JournalOf(`GOAL ${pick(200)}`);
      const runs = Math.floor(next() * 80);
      for (let number = 1; number <= runs; number += 1)
        addRun(journal, number, next() < 0.8 ? next() : undefined, pick(30));
      for (let message = 0; message < next() * 20; message += 1) journal.say(pick(300));
      for (let env = 0; env < next() * 8; env += 1)
        journal.add({
          ...{
            type: 'env.captured',
            envId: `env${env}`,
            machineId: 'local',
            repo: '/r',
            gist: pick(40),
          },
          ...{ file: 'f', callId: 'c' },
        });
      if (next() < 0.5)
        journal.add({ type: 'monitor.started', goal: pick(100), intervalMs: 60_000, callId: 'c' });
      const facts = factsOf(journal, notes(Math.floor(next() * 300)));
      const budget = 300 + Math.floor(next() * 8_000);
      const text = renderBriefing(facts, budget);
      assert.ok(textTokens(text) <= budget, `${textTokens(text)} of ${budget}`);
      assert.equal(renderBriefing(facts, budget), text);
      assert.match(text, /The goal:\nGOAL/);
      const { champion } = facts.ledger;
      if (champion !== undefined)
        assert.match(text, new RegExp(`^- run ${champion.number}\\b`, 'm'));
    }
  });

  it('lets no part crowd out another', () => {
    const journal = new JournalOf(`bring loss < 1. ${'Mind the details. '.repeat(2_000)}`);
    for (let number = 1; number <= 3_000; number += 1)
      addRun(journal, number, number === 2_000 ? undefined : 1 / number);
    for (let message = 0; message < 200; message += 1)
      journal.say(`wish ${message} ${'please '.repeat(300)}`);
    journal.add({
      type: 'monitor.started',
      goal: 'look after it',
      intervalMs: 600_000,
      callId: 'c',
    });
    for (let env = 1; env < 50; env += 1)
      journal.add({
        ...{
          type: 'env.captured',
          envId: `env${env}`,
          machineId: 'gpu1',
          repo: '/r',
          gist: 'torch 2.9',
        },
        ...{ file: 'f', callId: 'c' },
      });
    const text = renderBriefing(factsOf(journal, notes(10_000)), 4_000);
    assert.ok(textTokens(text) <= 4_000);
    for (const part of [
      /The goal:\nbring loss < 1/,
      /Used so far: 0 turns\. Runs: 3000\./,
      /Best by loss \(lower\): run 3000, loss 3\.33333e-4\. Runs: 2999 ok, 1 running\. \d+ of them are not listed/,
      /^- run 2000 .* running/m,
      /^- run 3000 .* ok · loss/m,
      /Monitor every 10 min: look after it/,
      /^- env49 · gpu1:\/r · <untrusted from="environment of gpu1">torch 2\.9/m,
      /wish 199/,
      /^\/n9999: finding number 9999/m,
      /… \d+ more under \//,
    ])
      assert.match(text, part);
  });

  it('says what was left open: interrupted calls, and what was not allowed', () => {
    const call = (id: string) =>
      ({ type: 'tool_call', id, name: 'remote_exec', input: { command: `do ${id}` } }) as const;
    const journal = new JournalOf()
      .ask()
      .reply([call('old'), call('lost'), call('no')])
      .result('lost', `${interruptedPrefix}Gone.`)
      .add({
        type: 'permission.decided',
        callId: 'no',
        isAllowed: false,
        by: 'person',
        why: 'the user said no',
      });
    const text = renderBriefing(factsOf(journal), 2_000);
    assert.match(text, /remote_exec \{"command":"do lost"\} was interrupted\. Gone\./);
    assert.match(text, /remote_exec \{"command":"do no"\} was not allowed: the user said no/);
    journal.add({
      type: 'context.checkpointed',
      upTo: journal.lastId,
      briefing: text,
      tokensBefore: 1,
    });
    assert.doesNotMatch(renderBriefing(factsOf(journal), 2_000), /do lost/);
  });

  it('lists the ten newest of what was left open, the newest first, once', () => {
    const ids = Array.from({ length: 12 }, (_, number) => `c${number}`);
    const journal = new JournalOf()
      .ask()
      .reply(ids.map((id) => ({ type: 'tool_call', id, name: 'remote_exec', input: id }) as const));
    for (const id of ids) journal.result(id, `${interruptedPrefix}Gone.`);
    const left = ids.slice(2).reverse();
    assert.deepEqual(
      openPoints(journal.events).map(({ text }) => text.slice(0, 24).trim()),
      left.map((id) => `- remote_exec "${id}" was interrupted`.slice(0, 24).trim()),
    );
    assert.deepEqual(openPoints(new JournalOf().turn('ok').events), []);
    journal.add({
      type: 'context.checkpointed',
      upTo: journal.lastId,
      briefing: 'b',
      tokensBefore: 1,
    });
    journal.add({
      type: 'permission.decided',
      callId: 'x',
      isAllowed: false,
      by: 'person',
      why: 'no',
    });
    journal.add({
      type: 'permission.decided',
      callId: 'y',
      isAllowed: true,
      by: 'person',
      why: 'yes',
    });
    assert.deepEqual(
      openPoints(journal.events).map(({ text }) => text),
      ['- x was not allowed: no'],
    );
  });

  it('keeps the words of the user, the newest where not all fit', () => {
    const journal = new JournalOf();
    for (let message = 0; message < 50; message += 1)
      journal.say(`wish ${message}: ${'please '.repeat(50)}`);
    const text = renderBriefing(factsOf(journal), 1_500);
    assert.match(text, /What the user said, oldest first, \d+ earlier ones left out:/);
    assert.match(text, /wish 48: (please )+\n?[^]*wish 49: please/);
    assert.doesNotMatch(text, /wish 3:/);
    assert.match(renderBriefing(factsOf(journal), 20_000), /oldest first:\n- wish 0: /);
  });

  it('tells of the limits', () => {
    const journal = new JournalOf();
    journal.add({ type: 'session.resumed', by: 'x', budget: { turns: 50, usd: 5, minutes: 60 } });
    assert.match(
      renderBriefing(factsOf(journal), 1_000),
      /Used so far: 0 of 50 turns, \$0\.00 of \$5\.00, 0 of 60 min/,
    );
  });
});
