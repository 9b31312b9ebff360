import { outcomeLines } from '../../../../src/cli/follow.ts';
import { plainStyle } from '../../../../src/cli/screen/style.ts';
import { ReplayText } from '../../../../src/cli/screen/replay.ts';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { describeEvent } from '../../../../src/agent/journal/describeEvent.ts';
import { journalDocument } from '../../../../src/vscode/sessions/journalDocument.ts';
import { Transcript } from '../../../../src/vscode/sessions/transcript.ts';
import { targetTextOf } from '../../../../src/agent/runs/sessionLedger.ts';
import { targetText } from '../../../../src/experiments/target/target.ts';
import { ScriptedModel, type ScriptedCall } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';

const launch = (command: string): ScriptedCall => ({
  name: 'remote_exec_background',
  input: { command },
});
const until = (run: number): ScriptedCall => ({
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run }], deadline_minutes: 5 },
});
const setTarget = (input: Readonly<Record<string, unknown>>): ScriptedCall => ({
  name: 'set_target',
  input,
});
const finish = (input: Readonly<Record<string, unknown>>): ScriptedCall => ({
  name: 'finish',
  input: { outcome: 'goal_met', summary: 's', ...input },
});
const blocked = finish({ outcome: 'blocked' });

describe('the target of a session', () => {
  let bed: TestEngine | undefined;
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
  });

  const begin = async (
    goal: string,
    calls: readonly ScriptedCall[],
    target?: string,
  ): Promise<{ session: Session; model: ScriptedModel }> => {
    const model = new ScriptedModel([...calls, blocked].map((call) => [call]));
    bed = await testEngine(model);
    const session = await bed.start({ goal, ...(target !== undefined && { target }) });
    await session.ended;
    return { session, model };
  };
  const errors = (session: Session): string[] =>
    eventsOf(session, 'tool.finished').flatMap(({ isError, text }) => (isError ? [text] : []));
  const texts = (session: Session, name: string): string[] =>
    eventsOf(session, 'tool.finished').flatMap((event) =>
      event.name === name ? [event.text] : [],
    );

  it('is what the user stated, before what the goal says; the agent cannot change it', async () => {
    const { session, model } = await begin(
      'bring val_loss below 0.3',
      [setTarget({ conditions: [{ metric: 'val_loss', comparator: '<', value: 0.3 }] })],
      'test_acc > 90 %',
    );
    assert.equal(targetText(session.state.target!), 'test_acc > 90 %');
    assert.match(JSON.stringify(model.requests[0]), /Target: test_acc > 90 %\./);
    assert.match(errors(session)[0] ?? '', /The user stated the target: test_acc > 90 %/);
  });

  it('names the bounds of the goal that were not read', async () => {
    const { model } = await begin('bring val_loss below 0.3 in under 10 epochs, under 24 GB', []);
    const [request] = model.requests;
    assert.match(
      JSON.stringify(request),
      /Target: val_loss < 0\.3\..*Not checked by Helios: in under 10 epochs; .*under 24 GB\. .*set_target/,
    );
  });

  it('takes a large number of the goal as the goal writes it', async () => {
    const { session } = await begin('make it small: no more than 5M weights, and low val_loss', [
      setTarget({
        conditions: [{ metric: 'weights', comparator: '<=', value: 5_000_000 }],
        ...{ metric: 'val_loss', direction: 'lower' },
      }),
    ]);
    assert.deepEqual(errors(session), []);
  });

  it('may be one condition beside the other arguments, as models write it', async () => {
    const { session } = await begin('make it good, mean over seeds 0, 1 and 2 above 0.97', [
      setTarget({
        ...{ metric: 'val_acc', comparator: '>', value: 0.97 },
        ...{ aggregate: 'mean', seeds: [0, 1, 2] },
      }),
    ]);
    assert.deepEqual(errors(session), []);
    assert.equal(targetText(session.state.target!), 'val_acc > 0.97, mean over seeds 0, 1, 2');
  });

  it('is refused in words that are not understood, before anything is started', async () => {
    bed = await testEngine(new ScriptedModel([]));
    await assert.rejects(
      bed.start({ goal: 'x', target: 'be good' }),
      /was not understood: be good/,
    );
    assert.deepEqual(bed.engine.sessions.open(), []);
  });

  it('may have a part that no run has printed yet, which it says', async () => {
    const { session } = await begin('bring val rmse below 3.3, with a model file under 600 kB', [
      launch('echo "val_rmse 8.1650 | model 402.8 kB"; echo "val_rmse 8.1 | model 402.8 kB"'),
      until(1),
      setTarget({
        conditions: [
          { metric: 'val_rmse', comparator: '<', value: 3.3 },
          { metric: 'model_kb', comparator: '<', value: 600 },
        ],
      }),
    ]);
    assert.deepEqual(errors(session), []);
    const [answer] = texts(session, 'set_target');
    assert.match(
      answer ?? '',
      /^The target is now: val_rmse < 3\.3 and model_kb < 600\..* Not read yet: model_kb, so this part cannot be met until runs print it or metric_patterns reads it\. Nearest line of run 1: ".* model 402\.8 kB"/,
    );
    assert.deepEqual(
      session.state.target?.conditions.map(({ metric }) => metric),
      ['val_rmse', 'model_kb'],
    );
  });

  it('may get the printed name of its metric, never an easier number', async () => {
    const { session } = await begin('bring the objective to 0.3 or less', [
      launch('echo loss=0.1 vloss=0.25; echo loss=0.1 vloss=0.25'),
      until(1),
      setTarget({ conditions: [{ metric: 'vloss', comparator: '<=', value: 0.7 }] }),
      setTarget({ conditions: [{ metric: 'xloss', comparator: '<=', value: 0.3 }] }),
      setTarget({ conditions: [{ metric: 'vloss', comparator: '<=', value: 0.3 }] }),
      finish({ evidence: [{ runs: 1, metric: 'vloss' }] }),
    ]);
    const [invented, unprinted] = errors(session);
    assert.match(invented ?? '', /no number 0\.7/);
    assert.match(unprinted ?? '', /No run printed xloss\. Read so far: loss, vloss/);
    assert.match(
      texts(session, 'set_target').at(-1) ?? '',
      /Best so far: vloss 0\.25\. vloss 0\.25/,
    );
    assert.deepEqual(
      [session.state.end?.reason, session.state.end?.checked],
      ['goal', ['vloss 0.25 <= 0.3 (run 1)']],
    );
  });

  it('is read from every run, also where the launch does not name its metrics', async () => {
    const { session } = await begin('bring loss below 0.3 with at most 20000 parameters', [
      launch('echo parameters 49; echo loss=0.5; echo loss=0.2'),
      until(1),
      {
        name: 'remote_exec_background',
        input: { command: 'echo parameters 49; echo loss=0.1', metric_names: ['loss'] },
      },
      until(2),
      finish({ evidence: [{ runs: 1 }] }),
    ]);
    assert.deepEqual(errors(session), []);
    assert.deepEqual(session.state.end?.checked, [
      'loss 0.1 < 0.3 (run 2)',
      'parameters 49 <= 20000 (run 2)',
      'named as evidence, run 1: loss 0.2 < 0.3 (run 1), parameters 49 <= 20000 (run 1)',
    ]);
    assert.deepEqual(
      session.ledger.rows.map(({ metrics }) => metrics.map(({ metric }) => metric).sort()),
      [
        ['loss', 'parameters'],
        ['loss', 'parameters'],
      ],
    );
  });

  it('is read from a line with the number first, also where the launch names the metric', async () => {
    const { session } = await begin('bring loss below 0.3 with at most 20000 parameters', [
      {
        name: 'remote_exec_background',
        input: { command: 'echo 49 parameters; echo loss=0.1', metric_names: ['loss', 'params'] },
      },
      until(1),
      finish({ evidence: [{ runs: 1 }] }),
    ]);
    assert.deepEqual(errors(session), []);
    assert.deepEqual(session.state.end?.checked, [
      'loss 0.1 < 0.3 (run 1)',
      'parameters 49 <= 20000 (run 1)',
    ]);
  });

  it('is compared at each wake with what has ended meanwhile', async () => {
    const { session } = await begin('bring loss below 0.3 with at most 2000 parameters', [
      launch('echo loss=0.5; echo loss=0.4; sleep 0.3'),
      until(1),
      launch('echo parameters 49; echo loss=0.5; echo loss=0.2; sleep 0.3'),
      until(2),
    ]);
    const wakes = eventsOf(session, 'message.added').flatMap(({ origin, text }) =>
      origin === 'wake' ? [text] : [],
    );
    assert.doesNotMatch(wakes[0] ?? '', /target reached|limit/);
    assert.match(wakes[0] ?? '', /\n\[Best loss 0\.4, target < 0\.3\.\]\n/);
    assert.match(
      wakes[1] ?? '',
      /^\[Run 2 of e2: target reached: loss 0\.2 < 0\.3 \(run 2\); parameters 49 <= 2000 \(run 2\)\.\]\n/,
    );
  });

  it('says at the wake that a setting is over a limit', async () => {
    const { session } = await begin('bring loss below 0.3 with at most 20000 parameters', [
      launch('echo parameters 21121; echo loss=0.5; echo loss=0.2; sleep 0.3'),
      until(1),
    ]);
    assert.match(
      eventsOf(session, 'message.added').findLast(({ origin }) => origin === 'wake')?.text ?? '',
      /^\[Run 1 of e1: over a limit of the goal: parameters 21121, not <= 20000 \(run 1\)\.\]\n/,
    );
  });

  it('keeps the seeds and the number of the goal when the agent names the metric', async () => {
    const { session } = await begin('bring val_loss below 0.3, mean over seeds 0-2', [
      setTarget({ conditions: [{ metric: 'v', comparator: '<', value: 0.3 }] }),
      setTarget({
        conditions: [{ metric: 'v', comparator: '<', value: 0.3, over: 'mean', seeds: [0, 1, 2] }],
      }),
    ]);
    assert.match(
      errors(session)[0] ?? '',
      /The goal says val_loss < 0\.3, mean over seeds 0, 1, 2/,
    );
    assert.equal(targetText(session.state.target!), 'v < 0.3, mean over seeds 0, 1, 2');
  });

  it('ranks by the metric of the goal, whatever more runs print', async () => {
    const { session } = await begin('Find the lowest test perplexity', [
      launch('echo loss=0.5; echo "test ppl=7"'),
      until(1),
      launch('echo loss=0.9; echo "test ppl=4"; true'),
      until(2),
    ]);
    assert.equal(session.ledger.champion?.number, 2);
    assert.equal(session.ledger.decisive?.metric, 'test_ppl');
  });

  it('compares with the baseline that the user chooses, and names it with its number', async () => {
    const launches = [launch('echo loss=0.8'), until(1), launch('echo loss=0.5 # b'), until(2)];
    const { session, model } = await begin('halve the loss', launches);
    const first = "loss <= 0.4 (half of the baseline's 0.8, run 1)";
    assert.equal(targetTextOf(session.state), first);
    assert.ok(JSON.stringify(model.requests.at(-1)).includes(`[The target: ${first}.]`));
    assert.equal(await session.setTarget('baseline'), first);
    assert.equal(eventsOf(session, 'session.target_changed').length, 0);
    const second = "loss <= 0.25 (half of the baseline's 0.5, run 2)";
    assert.equal(await session.setTarget('baseline run 2'), second);
    assert.equal(session.state.targetBy, undefined);
    await assert.rejects(session.setTarget('baseline run 3'), /Run 3 cannot be the baseline/);
    // The choice holds for another target, too.
    assert.match(await session.setTarget('cut the loss by 10 %'), /^loss <= 0\.45 .*, run 2\)$/);
    await session.setTarget('loss < 0.3');
    await assert.rejects(session.setTarget('baseline'), /compares with no baseline/);
    await session.stop();
  });

  it('is read again from the output of runs that ended earlier', async () => {
    const named = (command: string): ScriptedCall => ({
      name: 'remote_exec_background',
      input: { command, metric_names: ['loss'] },
    });
    const { session } = await begin('bring loss below 0.1', [
      named('echo loss=0.8; echo vscore=0.9; echo params=5000'),
      until(1),
      named('echo loss=0.7; echo other=0.1'),
      until(2),
    ]);
    await session.setTarget('vscore > 0.8');
    const read = session.ledger.rows.map(({ metrics }) => metrics.map(({ metric }) => metric));
    assert.deepEqual(
      read.map((names) => names.includes('vscore')),
      [true, false],
    );
    assert.equal(session.ledger.best?.mean, 0.9);
    assert.equal(eventsOf(session, 'run.metrics_changed').at(-1)?.read?.length, 2);
    await session.stop();
  });

  it('is read from earlier output when the agent states it', async () => {
    const { session } = await begin('bring the objective to 0.3 or less', [
      {
        name: 'remote_exec_background',
        input: { command: 'echo loss=0.8; echo vloss=0.25', metric_names: ['loss'] },
      },
      until(1),
      setTarget({ conditions: [{ metric: 'vloss', comparator: '<=', value: 0.3 }] }),
      finish({ evidence: [{ runs: 1 }] }),
    ]);
    assert.deepEqual(errors(session), []);
    assert.deepEqual(session.state.end?.checked, ['vloss 0.25 <= 0.3 (run 1)']);
  });

  it('is changed by the user, who is heard by the agent', async () => {
    const model = new ScriptedModel([[blocked], [blocked]]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: 'make it better' });
    await session.ended;
    await session.setTarget('highest val_acc');
    assert.equal(targetText(session.state.target!), 'highest val_acc');
    assert.equal(session.state.targetBy, 'person');
    assert.equal(await session.ended, 'blocked');
    assert.match(JSON.stringify(model.requests[1]), /The target is now: highest val_acc/);
  });

  it('is told by the user before it is called reached', async () => {
    const model = new ScriptedModel([
      [{ name: 'remote_exec_background', input: { command: 'echo loss=0.25' } }],
      [until(1)],
      [blocked],
      [blocked],
    ]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: 'loss < 0.1' });
    await session.ended;
    await session.setTarget('loss < 0.5');
    await session.ended;
    const told = ['session.target_changed', 'message.added', 'target.reached'];
    const types = session.events().flatMap(({ type }) => (told.includes(type) ? type : []));
    assert.deepEqual(types.slice(-3), told);
  });

  it('is shown as a change from the old to the new, and not as words of the user', async () => {
    bed = await testEngine(new ScriptedModel([[blocked], [blocked], [blocked]]));
    const session = await bed.start({ goal: 'val_loss < 0.3' });
    for (const target of ['val_loss < 0.2', 'val_loss < 0.1']) {
      await session.ended;
      await session.setTarget(target);
    }
    await session.ended;
    const { state } = session;
    assert.deepEqual(
      eventsOf(session, 'session.target_changed').map((event) => describeEvent(event, state)),
      ['val_loss < 0.3 → val_loss < 0.2', 'val_loss < 0.2 → val_loss < 0.1'].map((detail) => ({
        ...{ kind: 'setting', tone: 'plain', title: 'Target changed', detail },
      })),
    );
    const events = session.events();
    const terminal = new ReplayText(plainStyle, false);
    const transcript = new Transcript();
    const shown = [
      events.flatMap((event) => terminal.linesOf(event)).join('\n'),
      JSON.stringify(events.flatMap((event) => transcript.event(event, state))),
      journalDocument({ state, events, ledger: session.ledger, damage: [] }, state.startedMs),
    ];
    for (const text of shown) {
      assert.match(text, /Target changed\W* val\S*loss \\*< 0\.2 → val\S*loss \\*< 0\.1/);
      assert.doesNotMatch(text, /The target is now|\*\*You\*\*/);
    }
  });

  it('is not called unchanged by the message that tells the change', async () => {
    bed = await testEngine(new ScriptedModel([[blocked], [blocked], [blocked]]));
    const session = await bed.start({ goal: 'val_loss < 0.3' });
    await session.ended;
    for (const target of [
      'halve val_loss',
      'val_loss <= 0.5 × the baseline, mean over 3 seeds, best',
    ])
      await session.setTarget(target);
    assert.deepEqual(eventsOf(session, 'session.target_kept'), []);
    assert.match(targetText(session.state.target!), /^val_loss <= 0.5 × the baseline, mean over 3/);
  });

  it('stays if a message states another one, which the user and the agent are told', async () => {
    const model = new ScriptedModel([[blocked], [blocked], [blocked]]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: 'Reach val acc of at least 0.975.' });
    await session.ended;
    await session.say('Can you get above 0.99 on the same conditions?');
    await session.ended;
    const text = 'The target is still val acc >= 0.975. To change it: /target val acc > 0.99';
    const shown = eventsOf(session, 'session.target_kept').map(
      (event) => describeEvent(event, session.state)?.detail,
    );
    assert.deepEqual(shown, [text]);
    assert.ok(JSON.stringify(model.requests[1]).includes(`[${text}. Only the user`));
    await session.setTarget('val acc > 0.99');
    await session.ended;
    assert.equal(eventsOf(session, 'session.target_kept').length, 1);
  });

  it('asks once more before a goal without a number ends', async () => {
    const end = finish({ outcome: 'best_found' });
    const { session } = await begin('find the lowest loss', [
      ...[launch('echo loss=2'), until(1), launch('echo loss=1; true'), until(2)],
      ...[end, end],
    ]);
    assert.match(
      errors(session)[0] ?? '',
      /^Not ended yet: .*best loss 1; .*50 % better.*2 experiments not decided: e1, e2/,
    );
    assert.deepEqual(
      [session.state.end?.reason, session.state.end?.checked],
      ['best_found', ['loss 1 (run 2)']],
    );
  });

  it('asks once about numbers of the summary that no run measured', async () => {
    const summary = 'Run 1 reached loss 0.2, from 0.871 before, 77 % better than 0.871.';
    const end = finish({ evidence: [{ runs: ['1'], metric: 'loss' }], summary });
    const { session } = await begin('bring the loss below 0.3', [
      ...[launch('echo loss=0.2'), until(1)],
      ...[end, end],
    ]);
    assert.deepEqual(errors(session), [
      'Not ended yet: no run measured these numbers of the summary: 0.871, 77 %. Measured: loss 0.2 < 0.3 (run 1). Correct them, or leave them: they are then marked as not measured. To end, call finish again.',
    ]);
    assert.deepEqual([session.state.end?.reason, session.state.end?.summary], ['goal', summary]);
    assert.equal(
      session.state.end?.marked,
      'Run 1 reached loss 0.2, from 0.871 (not measured) before, 77 % (not measured) better than 0.871 (not measured).',
    );
    const { state } = session;
    const shown = outcomeLines(state, 'goal', plainStyle).join('\n');
    assert.ok(shown.includes('from 0.871 (not measured) before'), shown);
    const replay = new ReplayText(plainStyle, false);
    const replayed = session.events().flatMap((event) => replay.linesOf(event));
    assert.match(replayed.join('\n'), /from 0\.871 \(not measured\) before/);
    const [ended = assert.fail()] = eventsOf(session, 'session.ended');
    assert.match(describeEvent(ended, state)?.detail ?? 'none', /0\.871 \(not measured\)/);
  });

  const settings = [
    ...[
      launch('echo test_acc=0.5 --width 4'),
      until(1),
      launch('echo test_acc=0.9901 --width 6'),
      until(2),
    ],
    ...[launch('echo test_acc=0.9957 --width 8'), until(3)],
  ];
  const finishWith = (summary: string): ScriptedCall =>
    finish({ evidence: [{ runs: ['2'], metric: 'test_acc' }], summary });

  it('asks once about a value of the summary that other runs than the evidence measured', async () => {
    const end = finishWith('It ended. A net of width 6 reaches test_acc 0.9957 as the mean.');
    const { session } = await begin('reach test_acc > 0.98', [...settings, end, end]);
    const [text = '', ...others] = errors(session);
    assert.match(
      text,
      /^Not ended yet: the evidence did not measure these values of test_acc in the summary: 0\.9957 in "A net of width 6 reaches test_acc 0\.9957 as the mean"\. The evidence: .*test_acc 0\.9901 > 0\.98 \(run 2\)/,
    );
    assert.deepEqual([others, session.state.end?.reason], [[], 'goal']);
  });

  it('asks nothing about values of the evidence, the baseline, named runs, and differences', async () => {
    const summary =
      'Test accuracy reached 0.9901, above the goal of test_acc 0.98. Test_acc rose from 0.5 to 0.9957. ' +
      'The baseline has 0.5 test_acc. Run 3 has test_acc 0.9957. e3 has 99.57 % test_acc. Loss 0.9957.';
    const { session } = await begin('reach test_acc > 0.98', [...settings, finishWith(summary)]);
    assert.deepEqual([errors(session), session.state.end?.reason], [[], 'goal']);
  });

  it('asks nothing more in the last turn of the budget', async () => {
    const model = new ScriptedModel([[finish({ outcome: 'blocked', summary: 'loss 0.871' })]]);
    bed = await testEngine(model);
    const session = await bed.start({ goal: 'bring the loss below 0.3', budget: { turns: 1 } });
    assert.equal(await session.ended, 'blocked');
  });

  it('can be files, read by Helios, for a goal without a metric', async () => {
    const model = new ScriptedModel([
      [finish({ files: ['../outside'] })],
      [finish({ files: ['summary.md'] })],
    ]);
    bed = await testEngine(model);
    writeFileSync(path.join(bed.work, 'summary.md'), 'words');
    writeFileSync(path.join(bed.work, '../outside'), 'words');
    const session = await bed.start({ goal: 'write a summary into summary.md' });
    assert.equal(await session.ended, 'goal');
    assert.match(errors(session)[0] ?? '', /outside the working folder/);
    assert.match(
      session.state.end?.checked?.[0] ?? '',
      /^summary\.md exists \(5 bytes, written .*, not the result of a run, SHA-256/,
    );
  });
});
