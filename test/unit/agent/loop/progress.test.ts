import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { JournalEvent, SessionEvent } from '../../../../src/agent/journal/events.ts';
import { idleness, idleWarning, isIdleTooLong } from '../../../../src/agent/loop/progress.ts';
import { noUsage, type StopReason } from '../../../../src/models/model.ts';
import { recorded, runId, runState, started } from '../../vscode/states.ts';

const reply = (stop: StopReason, hasCall: boolean): SessionEvent => ({
  ...{
    type: 'model.replied',
    turn: 1,
    provider: 'p',
    model: 'm',
    stop,
    usage: noUsage,
    cost: { usd: 0 },
  },
  content: hasCall
    ? [{ type: 'tool_call', id: 'c', name: 'read_file', input: {} }]
    : [{ type: 'text', text: 'hm' }],
});
const refresh = reply('tools', true);
const talk = reply('stop', false);
const finished = (
  name: string,
  more: { isError?: boolean; changedFiles?: string[] } = {},
): SessionEvent => ({
  ...{ type: 'tool.finished', callId: 'c', name, text: '', isError: false, durationMs: 1, ...more },
});
const { process } = runState(1);
const runStarted: SessionEvent = {
  type: 'run.started',
  runId: runId(1),
  process: process ?? assert.fail(),
};
const runEnded: SessionEvent = {
  ...{ type: 'run.ended', runId: runId(1), verdict: { kind: 'ok' }, endedMs: 2, metrics: [] },
};
const said = (origin: 'person' | 'reminder' | 'wake' | 'goal'): SessionEvent => ({
  ...{ type: 'message.added', origin, text: 'x' },
});

const countOf = (...events: readonly SessionEvent[]): [talkTurns: number, score: number] => {
  const { talkTurns, score } = idleness([started(), ...events.map((event) => recorded(event))]);
  return [talkTurns, score];
};

describe('idleness', () => {
  it('weighs a turn of talk as six that only look', () => {
    assert.deepEqual(countOf(), [0, 0]);
    assert.deepEqual(countOf(refresh, refresh), [0, 2]);
    assert.deepEqual(countOf(talk, refresh, talk), [1, 13]);
    assert.deepEqual(countOf(talk, talk), [2, 12]);
    assert.deepEqual(countOf(reply('length', false)), [1, 6]);
  });

  it('does not count calls of the model that failed or were interrupted', () =>
    assert.deepEqual(
      countOf(refresh, reply('error', false), reply('aborted', true), reply('aborted', false)),
      [0, 1],
    ));

  it('is too long from the very turn on that the settings name', () => {
    assert.equal(isIdleTooLong({ score: 11 }, 2), false);
    assert.equal(isIdleTooLong({ score: 12 }, 2), true);
  });

  const events: readonly (readonly [name: string, event: SessionEvent, isProgress: boolean])[] = [
    ['a word of the user', said('person'), true],
    ['a reminder', said('reminder'), false],
    ['what a wake tells', said('wake'), false],
    ['a planned run', { type: 'run.planned', callId: 'c', spec: runState(1).spec }, true],
    [
      'a reproduction by the user',
      {
        ...{ type: 'run.planned', callId: 'c' },
        spec: { ...runState(1).spec, isReproduction: true },
      },
      false,
    ],
    ['the start of a run', runStarted, false],
    ['the end of a run', runEnded, true],
    ['a changed file', finished('write_file', { changedFiles: ['/a'] }), true],
    [
      'a change that failed',
      finished('write_file', { changedFiles: ['/a'], isError: true }),
      false,
    ],
    ['a note that could not be written', finished('memory_write', { isError: true }), false],
    ['a look', finished('read_file'), false],
  ];
  for (const [name, event, isProgress] of events)
    it(`${isProgress ? 'ends' : 'goes on'} with ${name}`, () =>
      assert.deepEqual(countOf(talk, talk, event), isProgress ? [0, 0] : [2, 12]));

  /** A call with its result, in a turn of its own. */
  const call = (effect: 'read' | 'write' | 'execute', text: string): SessionEvent[] => [
    refresh,
    { type: 'tool.started', callId: 'c', name: effect, effect, title: '' },
    { ...finished(effect), text } as SessionEvent,
  ];
  const many = (count: number, of: (index: number) => SessionEvent[]): SessionEvent[] =>
    Array.from({ length: count }, (_, index) => of(index)).flat();

  it('ends with each write on any machine, and with no reading', () => {
    assert.deepEqual(countOf(...many(200, () => call('write', 'written'))), [0, 0]);
    assert.deepEqual(countOf(...many(200, (index) => call('read', `line ${index}`))), [0, 200]);
  });

  it('ends with new output of a command, not with other numbers and times in it', () => {
    const pages = (index: number): string => `page ${'abcdefghij'.charAt(index)}`;
    assert.deepEqual(countOf(...many(5, (index) => call('execute', pages(index)))), [0, 0]);
    assert.deepEqual(countOf(...many(5, (index) => call('execute', `12:0${index} ok`))), [0, 4]);
  });

  it('ends with new output alone for sixty turns at most', () => {
    const word = (index: number): string =>
      String.fromCharCode(97 + (index % 26)).repeat(1 + Math.floor(index / 26));
    const turns = many(90, (index) => call('execute', word(index)));
    assert.deepEqual(countOf(...turns), [0, 30]);
    assert.deepEqual(countOf(...turns, ...call('write', 'x'), ...call('execute', 'new')), [0, 0]);
  });

  it('warns the model once, some turns before the end', () => {
    const after = (...events: readonly SessionEvent[]): string | undefined =>
      idleWarning(idleness([started(), ...events.map((event) => recorded(event))]), 30);
    const turns = (count: number): SessionEvent[] => Array<SessionEvent>(count).fill(refresh);
    assert.equal(after(...turns(149)), undefined);
    const warning = after(...turns(150)) ?? '';
    assert.match(warning, /If this goes on, the session ends soon/);
    const told: SessionEvent = { type: 'message.added', origin: 'reminder', text: warning };
    assert.equal(after(...turns(150), told, refresh), undefined);
    assert.match(after(...turns(150), told, runEnded, ...turns(150)) ?? '', /No progress/);
  });

  const sleepStarted: SessionEvent = {
    ...{ type: 'sleep.started', sleepId: 's', callId: 'c' },
    request: { reason: 'r', logic: 'any', triggers: [] },
  };
  const sleepEnded: SessionEvent = {
    type: 'sleep.ended',
    sleepId: 's',
    why: 'trigger',
    detail: '',
  };
  /** Turns of looking, then a sleep of `sleptMs`. */
  const asleep = (
    before: readonly SessionEvent[],
    sleptMs: number,
    meanwhile: readonly SessionEvent[] = [],
  ): number => {
    const at = (ms: number) => (event: SessionEvent) => recorded(event, ms);
    const journal: JournalEvent[] = [
      ...[
        started(),
        ...before.map(at(1_000)),
        recorded(refresh, 1_000),
        recorded(sleepStarted, 1_000),
      ],
      ...[...meanwhile.map(at(1_001)), recorded(sleepEnded, 1_000 + sleptMs)],
    ];
    return idleness(journal).score;
  };

  it('ends with a wait of a minute for a run that goes on, and with no shorter one', () => {
    assert.equal(asleep([runStarted], 60_000), 0);
    assert.equal(asleep([runStarted], 59_999), 1);
  });

  it('goes on through a wait in which nothing went on when it began', () => {
    assert.equal(asleep([], 3_600_000), 1);
    assert.equal(asleep([runStarted, runEnded], 3_600_000), 1);
    assert.equal(asleep([], 3_600_000, [runStarted]), 1);
  });
});
