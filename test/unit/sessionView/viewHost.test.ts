import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { MessageConnection } from 'vscode-jsonrpc';
import type { RunId } from '../../../src/base/ids.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { connect } from '../../../src/protocol/connect.ts';
import * as protocol from '../../../src/protocol/sessionView.ts';
import type { StepDetail, SessionChange, TimelineRow } from '../../../src/protocol/sessionView.ts';
import { SessionViewHost } from '../../../src/vscode/sessionView/viewHost.ts';
import { demoNight, type DemoNight } from '../../fakes/demoNight.ts';
import { ManualClock } from '../../fakes/manualClock.ts';
import type { MemorySessionSource } from '../../fakes/memorySessionSource.ts';
import { portPair, type PortPair } from '../../fakes/portPair.ts';

describe('the host of the session view', () => {
  let clock: ManualClock;
  let night: DemoNight;
  let source: MemorySessionSource;
  let ports: PortPair;
  let host: SessionViewHost;
  let view: MessageConnection;
  let changes: SessionChange[];
  let opened: string[];

  const settle = () => clock.advance(0).then(() => new Promise((resolve) => setImmediate(resolve)));

  beforeEach(() => {
    clock = new ManualClock();
    night = demoNight();
    ({ source } = night);
    ports = portPair();
    [changes, opened] = [[], []];
    host = new SessionViewHost({
      ...{ source, port: ports.host, clock, logger: silentLogger },
      actions: {
        openRunOutput: (runId) => void opened.push(runId),
        openMetrics: () => void opened.push('metrics'),
      },
    });
    view = connect(ports.view);
    view.onNotification(protocol.sessionChanged, (change) => void changes.push(change));
    view.listen();
  });

  afterEach(() => {
    host.dispose();
    view.dispose();
    assert.equal(clock.pendingTimers, 0);
    assert.equal(source.hasListeners, false);
    assert.equal(source.isWatched, false);
  });

  const allRows = async (): Promise<readonly TimelineRow[]> =>
    (await view.sendRequest(protocol.readRows, { from: 0, to: 500 })).rows;

  async function stepDetailOf(title: RegExp): Promise<StepDetail> {
    const row = (await allRows()).findIndex((each) => title.test(each.title));
    assert.ok(row >= 0, `no row ${title}`);
    return view.sendRequest(protocol.readStepDetail, { row });
  }

  const factOf = (detail: StepDetail, name: string): string | undefined =>
    detail.state.facts.find((fact) => fact.name === name)?.value;

  it('answers with the header, with windows of rows and with the runs beside them', async () => {
    const header = await view.sendRequest(protocol.ready);
    assert.equal(header.title, 'train a 10M GPT on TinyStories to val_loss < 1.2');
    assert.deepEqual(
      [header.turns, header.openQuestions, header.notes, header.experiments],
      [4, 1, 1, 5],
    );
    assert.equal(source.isWatched, true);
    const answer = await view.sendRequest(protocol.readRows, { from: 5, to: 9 });
    assert.deepEqual([answer.from, answer.rows.length, answer.total], [5, 4, header.rows]);
    assert.deepEqual(
      answer.bars.map(({ name }) => name),
      ['run 1'],
    );
  });

  it('says nothing and reads nothing before it is asked', async () => {
    source.changed();
    await clock.advance(1000);
    assert.deepEqual([ports.fromHost, source.isWatched], [[], false]);
  });

  it('tells what is new at most five times a second, and from which row on', async () => {
    const { rows } = await view.sendRequest(protocol.ready);
    for (let index = 0; index < 50; index++) {
      source.add({ type: 'note.pinned', number: index + 2, text: `note ${index}` });
      source.changed();
      await clock.advance(20);
    }
    await clock.advance(200);
    await settle();
    assert.ok(
      changes.length >= 5 && changes.length <= 7,
      `${changes.length} messages for a second`,
    );
    assert.equal(changes[0]?.firstRow, rows);
    assert.equal(changes.at(-1)?.header.rows, rows + 50);
    assert.equal(changes.at(-1)?.header.notes, 51);
  });

  it('starts over where the journal took back what was never acknowledged', async () => {
    const { rows } = await view.sendRequest(protocol.ready);
    source.takeBack(1);
    source.add({ type: 'note.pinned', number: 2, text: 'in its place' });
    source.add({ type: 'note.unpinned', number: 2 });
    source.changed();
    await clock.advance(200);
    await settle();
    assert.equal(changes.at(-1)?.firstRow, 0);
    assert.deepEqual(
      (await allRows()).slice(rows - 1).map(({ title }) => title),
      ['Sticky note 2 pinned', 'Sticky note 2 removed'],
    );
  });

  it('shows a moment as it was: what came later is not in it', async () => {
    await view.sendRequest(protocol.ready);
    const alarm = await stepDetailOf(/^Run 2: val_loss/);
    assert.equal(factOf(alarm, 'Best so far'), 'val_loss 1.48 · run 1');
    assert.equal(factOf(alarm, 'Runs'), '3, 2 active');
    assert.equal(factOf(alarm, 'Experiments'), '3, 1 kept');
    assert.equal(factOf(alarm, 'Open questions'), undefined);
    assert.deepEqual(
      alarm.state.runs.map(({ name, status }) => [name, status]),
      [
        ['run 3', 'running'],
        ['run 2', 'running'],
      ],
    );
    const later = await stepDetailOf(/^Sleeping until .*/);
    assert.notDeepEqual(later.state, alarm.state);
  });

  it('shows of a run that goes on only the values that had been read by then', async () => {
    await view.sendRequest(protocol.ready);
    const run = night.launch('seed=9');
    const startMs = source.atMs;
    night.curve(run, 1, { startMs, endMs: startMs + 199_000 });
    source.add({ type: 'note.pinned', number: 7, text: 'halfway' }, 100_000);
    night.end(run, 0.9);
    source.changed();
    await clock.advance(200);
    const halfway = await stepDetailOf(/^Sticky note 7/);
    const [metric] = halfway.state.runs.find(({ id }) => id === run)?.metrics ?? [];
    assert.equal(metric?.points, 101);
    const ended = await stepDetailOf(/^Run 6: /);
    assert.deepEqual([ended.run?.status, ended.run?.metrics[0]?.best], ['ok', '0.9']);
    assert.ok((halfway.state.runs.find(({ id }) => id === run)?.spark.y.length ?? 0) > 20);
  });

  it('has the reply whole, the thinking folded, and the arguments and result of a call', async () => {
    await view.sendRequest(protocol.ready);
    const turn = await stepDetailOf(/^The baseline/);
    assert.deepEqual(
      turn.texts.map(({ id, format, isFolded }) => [id, format, isFolded ?? false]),
      [
        ['reply', 'markdown', false],
        ['thinking', 'plain', true],
      ],
    );
    const call = await stepDetailOf(/^Read train/);
    assert.deepEqual(
      call.texts.map(({ id, text }) => [id, text.slice(0, 14)]),
      [
        ['arguments', 'path: train.py'],
        ['result', 'import torch\ni'],
      ],
    );
  });

  it('shows the newest step of a session that goes on as it is now', async () => {
    await view.sendRequest(protocol.ready);
    const run = night.launch('seed=9');
    const startMs = source.atMs;
    night.curve(run, 1, { startMs, endMs: startMs + 199_000 });
    source.changed();
    const pointsOf = async (): Promise<number | undefined> => {
      await clock.advance(200);
      const last = (await allRows()).length - 1;
      const detail = await view.sendRequest(protocol.readStepDetail, { row: last });
      return detail.state.runs.find(({ id }) => id === run)?.metrics[0]?.points;
    };
    assert.equal(await pointsOf(), 1);
    await clock.advance(startMs + 100_000 - clock.now() - 200);
    assert.equal(await pointsOf(), 101);
    source.isGrowing = false;
    assert.equal(await pointsOf(), 1);
  });

  it('bounds a text, and has the rest when it is asked for: from its file where there is one', async () => {
    source.files.set('/results/c9.txt', 'x'.repeat(50_000));
    source.add({
      type: 'tool.started',
      callId: 'c9',
      name: 'exec',
      effect: 'execute',
      title: 'Print much',
    });
    const result = {
      text: 'y'.repeat(9_000),
      isError: false,
      durationMs: 1,
      fullPath: '/results/c9.txt',
    };
    source.add({ type: 'tool.finished', callId: 'c9', name: 'exec', ...result });
    await view.sendRequest(protocol.ready);
    const { texts, index } = await stepDetailOf(/^Print much/);
    assert.deepEqual([texts[0]?.text.length, texts[0]?.omittedChars], [6_000, 3_000]);
    const whole = await view.sendRequest(protocol.readWhole, { row: index, section: 'result' });
    assert.equal(whole, 'x'.repeat(50_000));
    await assert.rejects(
      view.sendRequest(protocol.readWhole, { row: index, section: 'secrets' }),
      /no longer exists/,
    );
  });

  it('names what is attached to a result, whether the journal holds the bytes or names a file', async () => {
    const shown = { mediaType: 'image/png', name: 'plot.png' };
    const file = { ...shown, hash: 'a'.repeat(64), sizeBytes: 1_400 };
    for (const [callId, more] of [
      ['c8', { attachments: [{ type: 'attachment', ...shown, base64: 'AAAA' }] as const }],
      [
        'c9',
        {
          attachmentFiles: [
            file,
            { mediaType: file.mediaType, hash: file.hash, sizeBytes: file.sizeBytes },
          ],
        },
      ],
    ] as const) {
      source.add({
        type: 'tool.started',
        callId,
        name: 'look',
        effect: 'read',
        title: `Look at ${callId}`,
      });
      const result = { text: 'seen', isError: false, durationMs: 1 };
      source.add({ type: 'tool.finished', callId, name: 'look', ...result, ...more });
    }
    await view.sendRequest(protocol.ready);
    const named = async (title: RegExp): Promise<string[]> =>
      (await stepDetailOf(title)).facts.flatMap(({ name, value }) =>
        name === 'Attachment' ? [value] : [],
      );
    assert.deepEqual(await named(/^Look at c8/), ['plot.png (image/png)']);
    assert.deepEqual(await named(/^Look at c9/), [
      'plot.png (image/png, 1.4 kB)',
      '(image/png, 1.4 kB)',
    ]);
  });

  it('cleans what processes printed of control characters', async () => {
    source.add({
      type: 'tool.started',
      callId: 'c9',
      name: 'exec',
      effect: 'execute',
      title: 'Print \u001b[31mred\u001b[0m',
    });
    source.add({
      type: 'tool.finished',
      callId: 'c9',
      name: 'exec',
      text: '\u001b[2Jgone\u0007',
      isError: false,
      durationMs: 1,
    });
    await view.sendRequest(protocol.ready);
    const { row, texts } = await stepDetailOf(/^Print/);
    assert.deepEqual([row.title, texts[0]?.text], ['Print red', 'gone']);
  });

  it('has the ledger and the inbox', async () => {
    await view.sendRequest(protocol.ready);
    const { lines, metric, direction } = await view.sendRequest(protocol.readLedger);
    assert.deepEqual([metric, direction], ['val_loss', 'lower']);
    assert.deepEqual(
      lines.map(({ name, decision, best, isChampion }) => [name, decision, best, isChampion]),
      [
        ['e1', 'keep', '1.48', false],
        ['e2', 'crash', '', false],
        ['e3', 'keep', '1.27', true],
        ['e4', 'discard', '1.31', false],
        ['e5', '1 running', '', false],
      ],
    );
    assert.deepEqual(
      lines[2]?.runs.map(({ name }) => name),
      ['run 3'],
    );
    const { questions, notes } = await view.sendRequest(protocol.readInbox);
    assert.deepEqual(
      questions.map(({ id, answer }) => [id, answer]),
      [
        ['q1', { text: 'No', isDefault: true }],
        ['q2', undefined],
      ],
    );
    assert.deepEqual(notes, [{ number: 1, text: 'Never use more than two GPUs of this machine' }]);
  });

  it('answers questions and pins notes, and says why where it cannot', async () => {
    await view.sendRequest(protocol.ready);
    await view.sendRequest(protocol.answerQuestion, { questionId: 'q2', answer: 'Go on' });
    await view.sendRequest(protocol.pinNote, { text: 'be quick' });
    await view.sendRequest(protocol.unpinNote, { number: 1 });
    assert.deepEqual(source.deeds, ['answer q2: Go on', 'pin be quick', 'unpin 1']);
    source.readOnly = 'This session goes on in another process.';
    assert.equal((await view.sendRequest(protocol.ready)).readOnly, source.readOnly);
    await assert.rejects(view.sendRequest(protocol.pinNote, { text: 'x' }), /another process/);
    assert.equal(source.deeds.length, 3);
  });

  it('is silent and looks away while hidden, and answers the next page', async () => {
    await view.sendRequest(protocol.ready);
    host.setVisible(false);
    const before = ports.fromHost.length;
    source.add({ type: 'note.pinned', number: 2, text: 'unseen' });
    source.changed();
    // On its way when the page went: the answer would reach the next one.
    void view.sendRequest(protocol.readInbox).catch(() => undefined);
    await clock.advance(1000);
    assert.deepEqual([ports.fromHost.length, source.isWatched], [before, false]);
    host.setVisible(true);
    await clock.advance(1000);
    assert.equal(ports.fromHost.length, before, 'nothing before the new page is ready');
    const header = await view.sendRequest(protocol.ready);
    assert.deepEqual([header.notes, source.isWatched], [2, true]);
  });

  it('rejects with a reason when the journal cannot be read', async () => {
    source.failure = 'the disk is gone';
    await assert.rejects(view.sendRequest(protocol.ready), /the disk is gone/);
  });

  for (const [what, method, bad] of [
    ['more rows than any window has', protocol.readRows.method, { from: 0, to: 5000 }],
    ['rows from the end to the beginning', protocol.readRows.method, { from: 9, to: 2 }],
    ['no pixels', protocol.readTrack.method, { axis: 'time', pixels: 0 }],
    ['an axis that does not exist', protocol.readTrack.method, { axis: 'epoch', pixels: 9 }],
    ['a row that is not a number', protocol.readStepDetail.method, { row: '1' }],
    ['a row that is not there', protocol.readStepDetail.method, { row: 4000 }],
    ['fields that nobody knows', protocol.readStepDetail.method, { row: 1, path: '/etc/passwd' }],
    ['an empty answer', protocol.answerQuestion.method, { questionId: 'q2', answer: '' }],
    ['a note beyond any length', protocol.pinNote.method, { text: 'x'.repeat(20_000) }],
  ] as const)
    it(`refuses ${what}`, async () => {
      await view.sendRequest(protocol.ready);
      await assert.rejects(view.sendRequest(method, bad), /Refused|no step/);
      assert.deepEqual(source.deeds, []);
    });

  it('opens outputs and the metrics panel, and ignores what is not well formed', async () => {
    await view.sendRequest(protocol.ready);
    await view.sendNotification(protocol.openRunOutput, { runId: 'r-1' as RunId });
    await view.sendNotification(protocol.openRunOutput.method, { runId: 7 });
    await view.sendNotification(protocol.openMetrics, {});
    await view.sendRequest(protocol.ready);
    assert.deepEqual(opened, ['r-1', 'metrics']);
  });
});
