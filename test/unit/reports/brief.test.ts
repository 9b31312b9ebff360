import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { MetricSummary } from '../../../src/metrics/metric.ts';
import { reproductionTexts } from '../../../src/experiments/reproductions.ts';
import { writeResultsTsv } from '../../../src/experiments/resultsTsv.ts';
import { terminalText } from '../../../src/base/markdown.ts';
import { buildBrief, buildRuns, buildWriteup } from '../../../src/reports/brief.ts';
import { fullNight, lossOf, Night } from '../../fakes/nights.ts';

const brief = buildBrief(fullNight().facts());
/** What stands below a heading, up to the next of its level. */
const partOf = (markdown: string, heading: string): string =>
  new RegExp(`^## ${heading}[^\\n]*\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(
    markdown,
  )?.[1] ?? '';

describe('the brief of a night', () => {
  it('names the champion with value, repeats, spread and run', () => {
    const champion = partOf(brief, 'Champion');
    assert.match(
      champion,
      /\*\*loss 0\.931 ± 0\.0269 over 2 runs\*\*: \[run 4\]\(runs\.md#run-4\) of \[e4\]\(#e4\)/,
    );
    assert.match(champion, /n = 2\); the best value is 0\.912: \[run 4\].*\[run 5\]/);
    assert.match(
      champion,
      /First value: 1\.4 in \[run 1\]\(runs\.md#run-1\) \(since then -33\.5 %\)/,
    );
  });

  it('says how far the goal is, in what was measured', () => {
    assert.match(brief, /\*\*Not met\*\*: loss 0\.912, not \\< 0\.8 \(run 4, the best of 2/);
    const met = new Night('bring loss < 1');
    met.run({ loss: 0.5 });
    assert.match(buildBrief(met.facts()), /\*\*Met\*\*: loss 0\.5 \\< 1 \(run 1\)/);
    const open = new Night('make it better');
    open.run({ loss: 0.5 });
    assert.match(buildBrief(open.facts()), /No target was understood/);
  });

  it('lists files and checks of the goal with how they were checked', () => {
    const demands = { unchanged: ['bench.py'], checks: ['tests', 'check.py'] };
    const listed = (checked: readonly string[]): string => {
      const facts = { ...fullNight().facts(), demands: { ...demands, checked } };
      return partOf(buildBrief(facts), 'What you asked for').replaceAll('**', '');
    };
    const met = listed([
      'loss 0.7 < 0.8',
      'bench.py unchanged',
      'pytest -q passed on the code of e4',
    ]);
    assert.match(met, /^- Met: bench\.py unchanged \(compared at the end\)$/m);
    assert.match(met, /^- Met: tests pass \(pytest -q passed on the code of e4\)$/m);
    assert.match(met, /^- Not checked: check\.py passes/m);
    const open = listed([]);
    assert.match(open, /^- Checked: bench\.py unchanged \(compared at each launch/m);
    assert.match(open, /^- Not checked: tests pass/m);
    const idle = { ...new Night('bring loss < 1').facts(), demands: { ...demands, checked: [] } };
    assert.match(buildBrief(idle), /^- \*\*Not checked\*\*: bench\.py unchanged \(nothing/m);
    assert.match(buildBrief(idle), /^- \*\*Not met\*\*: `loss < 1`: nothing was measured\.$/m);
  });

  it('says how a check ended that the agent tried before the end', () => {
    const tried = (outcome: 'passed' | 'failed' | 'not_started', text: string): string => {
      const check = { command: 'python3 check.py', machineId: 'gpu1', experimentId: 'e7' };
      const tries = [
        { ...check, outcome, text: 'exit code 9' },
        { ...check, outcome, text },
      ];
      const demands = { unchanged: [], checks: ['check.py'], checked: [], tries };
      const facts = { ...fullNight().facts(), demands };
      return partOf(buildBrief(facts), 'What you asked for').replaceAll('**', '');
    };
    assert.match(
      tried('not_started', 'There is no folder /a'),
      /^- Not checked: check\.py passes \(python3 check\.py could not be started on the code of e7 on gpu1, in the last of 2 tries: There is no folder \/a\)$/m,
    );
    assert.match(
      tried('failed', 'exit code 2'),
      /^- Not met: check\.py passes \(python3 check\.py failed on .*: exit code 2\)$/m,
    );
    assert.match(tried('passed', 'exit code 0'), /^- Checked: check\.py passes \(.* passed on /m);
  });

  it('says of an open goal what was found, with the seeds and limits of the goal', () => {
    const night = new Night('lowest loss, mean over seeds 0 and 1');
    const both = (params: number) => [
      lossOf(0.5),
      { ...lossOf(params), metric: 'params', direction: 'none' as const },
    ];
    night.experiment(
      { hypothesis: 'A', decision: { is: 'keep', why: 'good' } },
      { metrics: both(400), command: 't --seed 0' },
    );
    const { target = assert.fail(), ...facts } = night.facts();
    const limit = { metric: 'params', comparator: '<=', value: 500 } as const;
    const limited = { ...facts, target: { ...target, conditions: [limit] } };
    const asked = partOf(buildBrief(limited), 'What you asked for').replaceAll('**', '');
    assert.match(asked, /^- The best was asked for, .*: the best found is loss 0\.5/m);
    assert.match(asked, /^- Not met: measured over the seeds of the goal: seed 1 missing$/m);
    assert.match(asked, /^- Met: params 400 \\<= 500 \(run 1\)$/m);
  });

  it('says of a metric of the goal that no run printed that it was never read', () => {
    const askedOf = (goal: string, ...losses: readonly number[]): string => {
      const night = new Night(goal);
      for (const loss of losses) night.run({ loss });
      return partOf(buildBrief(night.facts()), 'What you asked for').replaceAll('**', '');
    };
    const two = askedOf('loss < 0.6 and latency_ms < 5', 0.5, 0.4);
    assert.match(two, /^- Met: loss 0\.4 \\< 0\.6 \(run 2\)$/m);
    assert.match(two, /^- Not met: latency\\?_ms \\< 5: latency\\?_ms was never read$/m);
    assert.match(askedOf('latency_ms < 5', 0.5), /`latency_ms < 5`: latency_ms was never read\.$/m);
    assert.match(askedOf('lowest val_ppl', 0.5), /`lowest val_ppl`: val_ppl was never read\.$/m);
    assert.match(askedOf('latency_ms < 5'), /`latency_ms < 5`: nothing was measured\.$/m);
  });

  it('names the branch of an experiment, and work that was not committed', () => {
    const night = new Night();
    night.experiment({ hypothesis: 'A' }, { loss: 0.5 });
    const events = night.events.map((event) =>
      event.type === 'experiment.planned'
        ? {
            ...event,
            plan: {
              ...event.plan,
              code: {
                ...{ kind: 'git' as const, repo: '/h/worktrees/s-0mi7abcde123456/cosine' },
                ...{ tree: 't', isDirty: true, leftOut: [] },
              },
            },
          }
        : event,
    );
    night.events.splice(0, night.events.length, ...events);
    const work = { machineId: 'lab', path: '/w/a', branch: 'a', experiments: ['e1'], files: 2 };
    const text = buildBrief({ ...night.facts(), openWork: [work] });
    const ref = 'refs/helios/s-0mi7abcde123456';
    assert.ok(text.includes(`Its code is \`${ref}/e1\`, made on \`${ref}/cosine\`.`), text);
    assert.match(partOf(text, 'What was tried'), /“A” · branch cosine ·/);
    const changed = buildBrief({ ...night.facts(), championChange: '2 files changed' });
    assert.ok(changed.includes(`\`${ref}/cosine\` (2 files changed). Take`), changed);
    assert.match(
      partOf(text, 'To decide'),
      /^- 2 files of branch a are not committed, .*: `\/w\/a` on lab, in which e1 ran\.$/m,
    );
  });

  it('names the demands of the goal that nothing checked', () => {
    const facts = { ...fullNight().facts(), unchecked: ['use only numpy', 'at most 5 epochs'] };
    assert.match(
      partOf(buildBrief(facts), 'What you asked for'),
      /^- \*\*Not checked\*\*: use only numpy; at most 5 epochs \(Helios compares only epochs/m,
    );
  });

  it('leaves out a demand on the target, which the user has replaced', () => {
    const night = new Night('bring loss < 1.0');
    const [started] = night.events;
    assert.ok(started?.type === 'session.started');
    const unchecked = ['use only numpy', 'loss within 3 % of the best paper'];
    night.events[0] = { ...started, requirements: { unchanged: [], checks: [], unchecked } };
    assert.deepEqual(night.facts().unchecked, unchecked);
    const { target } = night.facts();
    assert.ok(target);
    night.add({ type: 'session.target_changed', target, by: 'person' });
    assert.deepEqual(night.facts().unchecked, ['use only numpy']);
  });

  it('lists a reproduction beside the result, which keeps its mean and its time', () => {
    const night = new Night();
    const seeds = [0.5, 0.6].map((loss, seed) => ({ loss, command: `train --seed ${seed}` }));
    const id = night.experiment({ hypothesis: 'cosine' }, ...seeds);
    night.add({ type: 'session.ended', reason: 'goal', summary: 'Done.', evidence: [] });
    const again = { experimentId: id, isReproduction: true } as const;
    const before = night.facts();
    night.run({ ...again, ...seeds[0] });
    const after = night.facts();
    assert.equal(after.session.lastEventMs, before.session.lastEventMs);
    assert.equal(after.ledger.best?.n, 2);
    assert.equal(writeResultsTsv(after.ledger), writeResultsTsv(before.ledger));
    const text = buildBrief(after);
    assert.match(
      partOf(text, 'Champion'),
      /^- Afterwards reproduced by run 3 \(seed 0, 1 of 2\): 0\.5, run 1 measured 0\.5$/m,
    );
    assert.match(
      partOf(text, 'What was tried'),
      /reproduced by run 3 \(seed 0, 1 of 2\): 0\.5, run 1 measured 0\.5$/m,
    );
    night.run({ ...again, ...seeds[0], loss: 0.52 });
    assert.match(
      partOf(buildBrief(night.facts()), 'Champion'),
      /^- Afterwards run again as run 4 \(seed 0, 1 of 2\): 0\.52, run 1 measured 0\.5, Δ \+0\.02$/m,
    );
    const { verdict: _v, ...going } = after.ledger.rows[2] ?? assert.fail();
    assert.match(
      reproductionTexts(
        { ...(after.ledger.experiments[0] ?? assert.fail()), reproductions: [going] },
        after.ledger.decisive,
      ).join(),
      /^run again as run 3: running$/,
    );
  });

  it('names the setting that met the goal, and a lower single run as not confirmed', () => {
    const night = new Night('Halve the loss against the baseline, mean over seeds 0, 1 and 2');
    const seeds = (command: string, losses: readonly number[]) =>
      losses.map((loss, seed) => ({ loss, command: `${command} --seed ${seed}` }));
    night.experiment(
      { hypothesis: 'baseline', decision: { is: 'reference', why: 'as it is' } },
      ...seeds('train', [0.12, 0.13, 0.12]),
    );
    night.experiment(
      { hypothesis: 'cosine', decision: { is: 'keep', why: 'half' } },
      ...seeds('train --cosine', [0.0563, 0.056, 0.0562]),
    );
    night.experiment({ hypothesis: 'wider' }, ...seeds('train --wide', [0.0559]));
    night.add({
      ...{ type: 'experiment.decided', experimentId: 'e3', decision: 'keep', by: 'agent' },
      ...{ why: 'one seed', isProvisional: true },
    });
    const text = buildBrief(night.facts());
    const champion = partOf(text, 'Champion');
    assert.match(champion, /^\*\*loss 0\.05616.* over 3 runs\*\*: \[run 4\].* of \[e2\]/);
    assert.match(
      partOf(text, 'What you asked for'),
      /\*\*Met\*\*: loss 0\.05616\d* \\<= 0\.06166\d* \(0\.4554 × the baseline.*mean over seeds 0, 1, 2 \(runs 4–6; .*; the baseline is 0\.12333\d*, so the number to reach is 0\.06166/,
    );
    assert.match(
      champion,
      /- Lower, but not confirmed: loss 0\.0559 \(seeds 1, 2 missing\) in \[run 7\]\(runs\.md#run-7\) of \[e3\]\(#e3\) \(one run only; kept provisionally; /,
    );
  });

  it('says of a value that was measured once that it was', () => {
    const night = new Night();
    night.run({ loss: 0.5, command: 'a' });
    night.run({ loss: 0.7, command: 'b' });
    assert.match(buildBrief(night.facts()), /Measured once, so run-to-run noise is unknown/);
  });

  it('gives no champion where nothing counts', () => {
    const night = new Night();
    night.run({ loss: 0.1, verdict: { kind: 'failed', code: 1 } });
    assert.match(
      partOf(buildBrief(night.facts()), 'Champion'),
      /There is no champion: no run .* has recorded loss\./,
    );
    assert.match(buildBrief(new Night().facts()), /No run has measured anything\./);
  });

  it('groups what was tried by what became of it, with the reasons as they were given', () => {
    const tried = partOf(brief, 'What was tried');
    const counts = '7 experiments: 2 kept, 1 discarded, 1 crashed, 1 to be retested, 2 undecided.';
    assert.ok(tried.includes(counts), tried);
    assert.match(tried, /- Kept: .*\*\*e4\*\*.*\n- Kept: .*\*\*e1\*\*/, 'the best first');
    assert.match(
      tried,
      /e2\*\* “A higher rate learns faster” · loss 1\.91 in \[run 2\]\(runs\.md#run-2\) · the agent: “loss 1\.91/,
    );
    assert.match(tried, /it would be 0\.77 \*\(not measured\)\* with warmup/);
    assert.match(tried, /· Helios: every run of it failed/);
    assert.match(tried, /fp16 · \[run 7\]\(runs\.md#run-7\) · 1 killed/);
  });

  it('tells failures with the last line of their output, and alarms with what was done', () => {
    assert.match(
      partOf(brief, 'Failures'),
      /\[run 3\].*out of memory after 2 min on gpu1: `torch\.cuda\.OutOf.*GiB`/,
    );
    const night = new Night();
    const runId = night.run({ loss: 1 });
    night.add({
      ...{ type: 'run.alarmed', runId, kind: 'divergence', detail: 'loss stands', action: 'warn' },
    });
    assert.match(
      partOf(buildBrief(night.facts()), 'Alarms'),
      /\[run 1\]\(runs\.md#run-1\): loss stands · the agent was notified/,
    );
  });

  it('tells of a run that an alarm stopped once, among the failures', () => {
    assert.match(
      partOf(brief, 'Failures'),
      /\[run 7\]\(runs\.md#run-7\): killed after 10 min on local after the alarm: loss became NaN at step 120$/m,
    );
    assert.equal(partOf(brief, 'Alarms'), '');
    const night = new Night();
    for (const step of [120, 140]) {
      const runId = night.run({ verdict: { kind: 'killed' } });
      const detail = `loss became NaN at step ${step}`;
      night.add({ type: 'run.alarmed', runId, kind: 'non_finite', detail, action: 'kill' });
    }
    const text = buildBrief(night.facts());
    assert.match(partOf(text, 'Failures'), /^- \[run 1\].*, \[run 2\].*: killed on local$/m);
    assert.match(partOf(text, 'Alarms'), /run 2.*step 140.*\n.*run 1.*step 120/);
  });

  it('does not call a run failed that was ended on purpose', () => {
    const night = new Night();
    night.run({ verdict: { kind: 'killed' } });
    assert.doesNotMatch(buildBrief(night.facts()), /## Failures/);
    night.run({ verdict: { kind: 'failed', code: 1 } });
    const failures = partOf(buildBrief(night.facts()), 'Failures');
    assert.match(failures, /^- \[run 2\].*: failed/m);
    assert.doesNotMatch(failures, /run 1\b/);
  });

  it('lists every experiment of a short night, and names the kept ones that it leaves out', () => {
    const triedOf = (kept: number, discarded: number): string => {
      const night = new Night();
      for (let number = 1; number <= kept + discarded; number += 1)
        night.experiment(
          {
            hypothesis: `try ${number}`,
            decision: { is: number <= kept ? 'keep' : 'discard', why: 'measured' },
          },
          { loss: number, command: `t --x ${number}` },
        );
      return partOf(buildBrief(night.facts()), 'What was tried');
    };
    assert.equal(triedOf(4, 3).match(/^- (?:Kept|Discarded)/gm)?.length, 7);
    assert.doesNotMatch(triedOf(4, 3), /more/);
    assert.match(triedOf(5, 6), /^- … and 6 more: 2 kept \(e4, e5\), 4 discarded$/m);
  });

  it('ends the headline between conditions', () => {
    const checked = Array.from(
      { length: 12 },
      (_, index) => `condition ${index} ${'x'.repeat(60)}`,
    );
    const night = new Night();
    night.add({ type: 'session.ended', reason: 'goal', summary: '', evidence: [], checked });
    const headline = buildBrief(night.facts()).split('\n')[1] ?? '';
    assert.match(headline, /^\*\*Goal met: condition 0 x+; .*; condition 6 x+; and 5 more\*\* · /);
    night.events.pop();
    const two = checked.slice(0, 2).map((text) => `${text}${'y'.repeat(60)}`);
    night.add({
      ...{ type: 'session.ended', reason: 'goal' },
      ...{ summary: '', evidence: [], checked: two },
    });
    assert.ok(buildBrief(night.facts()).includes(`**Goal met: ${two.join('; ')}**`));
  });

  it('names the decisions on all settings of an experiment', () => {
    const night = new Night('loss < 3.3');
    const id = night.experiment(
      { hypothesis: 'x' },
      ...[1, 2, 3].map((lr) => ({ loss: lr, command: `train --lr ${lr}` })),
    );
    for (const [run, why] of [
      [3, 'over the limit'],
      [1, 'no better'],
      [2, 'no better'],
    ] as const)
      night.add({
        ...{ type: 'experiment.decided', experimentId: id, decision: 'discard' },
        ...{ why, by: 'agent', runs: [run] },
      });
    assert.match(
      partOf(buildBrief(night.facts()), 'What was tried'),
      /the agent \(run 3\): “over the limit” · the agent \(run 1\): “no better” · the agent \(run 2\): “no better”/,
    );
  });

  it('has a short headline, with the files and checks below', () => {
    const night = new Night('loss < 3.3, mean over seeds 0 and 1, and model_kb < 600');
    const checked = [
      'loss 3.18777 < 3.3, mean over seeds 0, 1 (runs 7–9; ± 0.162)',
      'model_kb 352.3 < 600, each of seeds 0, 1 (runs 7–9)',
      'out/model-0.pkl exists (357603 bytes, written 2026-11-28 12:56:24, SHA-256 5ee0b2a87ff6…)',
      'data.py unchanged',
    ];
    night.add({ type: 'session.ended', reason: 'goal', summary: '', evidence: [], checked });
    const text = buildBrief(night.facts());
    const [, headline = ''] = text.split('\n');
    assert.match(
      headline,
      /^\*\*Goal met: loss 3\.18777 \\< 3\.3, model\\_kb 352\.3 \\< 600\*\* · /,
    );
    assert.match(text, /\*\*Checked\*\*: out\/model-0\.pkl exists \(357603 bytes, written 2026-/);
    assert.match(
      terminalText(text).split('\n')[1] ?? '',
      /^Goal met: loss 3\.18777 < 3\.3, model_kb 352\.3 < 600 · .* session `s-/,
    );
  });

  it('is plain text in a terminal', () => {
    const markdown =
      String.raw`- Kept: <a id="e2"></a>**e2** [run 7](runs.md#run-7) val\_rmse \< 3, a &lt; b *(not measured)* \[x\](y) \*`.replaceAll(
        '\\\\',
        '\\',
      );
    assert.equal(
      terminalText(`${markdown} \`a\\_b\` ![chart](charts/a.svg)`),
      '- Kept: e2 run 7 val_rmse < 3, a < b (not measured) [x](y) * `a\\_b` ',
    );
  });

  it('puts first what a user has to decide, and nothing that is answered', () => {
    assert.ok(brief.indexOf('## To decide') < brief.indexOf('## Champion'));
    const decide = partOf(brief, 'To decide');
    assert.match(
      decide,
      /Question q2: “Is a GPU on gpu2 free for us\?” Without an answer: keep the small one/,
    );
    assert.match(decide, /Undecided: .*\[e6\]\(#e6\).*Keep or discard\?/);
    assert.doesNotMatch(decide, /q1|tokenizer/);
    assert.match(
      partOf(brief, 'Questions answered'),
      /q1: .*tokenizer.*no answer in time, so the default: keep/,
    );
  });

  it('puts questions of the agent before refused calls, which are one line', () => {
    const night = new Night();
    const asked = { options: [], fallback: 'No', deadlineMs: 1 };
    for (let count = 1; count <= 20; count += 1)
      night.add({
        ...{ type: 'question.asked', questionId: `q${count}`, text: 'Allow this call?', ...asked },
        refused: { title: 'Ran git', signature: `${count}` },
      });
    night.add({ type: 'question.asked', questionId: 'q21', text: 'May I push?', ...asked });
    assert.equal(
      partOf(buildBrief(night.facts()), 'To decide').trim(),
      '- Question q21: “May I push?” Without an answer: No\n- 20 calls were refused: `helios actions s-0mi7abcde123456`. What you allow in the inbox counts when the session continues.',
    );
  });

  it('does not put words of Helios into the mouth of the model', () => {
    for (const reason of ['no_progress', 'plateau', 'budget', 'error'] as const) {
      const text = buildBrief(new Night().end(reason, 'Stopped: too many turns.').facts());
      assert.doesNotMatch(text, /The model says/, reason);
      assert.match(text, /\n\nStopped: too many turns\.\n/, reason);
    }
  });

  it('lets the model say nothing where the user stopped it', () => {
    const text = buildBrief(new Night().end('user', 'Stopped by the user.').facts());
    assert.doesNotMatch(text, /The model says/);
  });

  it('asks for the best of what nobody has judged, and each has a place that is linked to', () => {
    const night = new Night();
    for (let number = 1; number <= 30; number += 1)
      night.experiment(
        { hypothesis: `try ${number}` },
        { loss: 31 - number, command: `t --x ${number}` },
      );
    const text = buildBrief(night.facts());
    const asked = [...partOf(text, 'To decide').matchAll(/\[(e\d+)\]/g)].map(([, id]) => id);
    assert.deepEqual(asked, ['e30', 'e29', 'e28']);
    for (const id of asked) assert.ok(text.includes(`<a id="${id}">`), id);
  });

  it('says that defaults may differ where the code does', () => {
    const resultsOf = (...commands: readonly string[]) => {
      const night = new Night();
      for (const [index, command] of commands.entries())
        night.experiment({ hypothesis: `h${index}` }, { loss: index + 1, command });
      return partOf(buildBrief(night.facts()), 'Results');
    };
    const unnamed = 'default: the command does not name the option';
    assert.match(
      resultsOf('train', 'train', 'train --lr 3'),
      new RegExp(
        `^${unnamed}; defaults may differ between experiments, as their code does\\.$`,
        'm',
      ),
    );
    assert.match(resultsOf('train', 'train --lr 3'), new RegExp(`^${unnamed}\\.$`, 'm'));
  });

  it('says how many are left out, and nothing where none is', () => {
    const decideOf = (count: number): string => {
      const night = new Night();
      for (let number = 1; number <= count; number += 1)
        night.experiment(
          { hypothesis: `try ${number}` },
          { loss: number, command: `t --x ${number}` },
        );
      return partOf(buildBrief(night.facts()), 'To decide');
    };
    assert.doesNotMatch(decideOf(3), /more/);
    assert.match(decideOf(3), /\[e3\]\(#e3\)\. Keep or discard/);
    assert.match(decideOf(4), /\[e3\]\(#e3\) and 1 more\. Keep or discard/);
    assert.doesNotMatch(decideOf(4), /e4/);
  });

  it('has at most 60 lines for 73 runs with charts, and the means of repeats', () => {
    const night = new Night('bring loss below 0.3, mean over seeds 0-2');
    const decisions = [undefined, 'keep', 'discard', 'discard', 'reference', 'retest'] as const;
    for (let number = 1; number <= 18; number += 1) {
      const is = decisions[number % decisions.length];
      night.experiment(
        { hypothesis: `try ${number}`, ...(is && { decision: { is, why: 'so' } }) },
        ...[0, 1, 2, 3].map((seed) => ({
          loss: number / 10 + seed / 100,
          command: `train --lr ${number} --seed ${seed}`,
        })),
      );
    }
    night.run({ verdict: { kind: 'failed', code: 1 }, outputTail: 'NameError: x' });
    const chart = { path: 'charts/a.svg', text: 'a' };
    const work = { machineId: 'local', path: '/w/a', branch: 'a', experiments: ['e1'], files: 2 };
    const facts = {
      ...night.end('user', 'Stopped.').facts(),
      unchecked: ['use only numpy', 'at most 5 epochs', 'the split unchanged'],
      demands: { unchanged: ['bench.py', 'data.py'], checks: ['tests'], checked: [] },
      openWork: [work, { ...work, branch: 'b', experiments: [] }],
    };
    const text = buildBrief(facts, [chart, chart, chart]);
    assert.ok(text.split('\n').length <= 60, `${text.split('\n').length}`);
    assert.match(text, /- Kept: .*\*\*e1\*\*.* · loss 0\.11 ± 0\.01 over 3 runs in \[run 1\]/);
  });

  it('takes the highest for the best where more is better', () => {
    const night = new Night('bring accuracy above 95 %');
    const reached = (best: number): MetricSummary => ({
      ...lossOf(best),
      ...{ metric: 'accuracy', direction: 'higher', min: 0.1, max: best, mean: 0.5 },
    });
    const keep = (why: string) => ({ is: 'keep' as const, why });
    night.experiment(
      { hypothesis: 'A', decision: keep('first') },
      { metrics: [reached(0.91)], command: 'a' },
    );
    const both = [0.93, 0.96].map((best) => ({ metrics: [reached(best)], command: `b ${best}` }));
    night.experiment({ hypothesis: 'B', decision: keep('better') }, ...both);
    night.experiment({ hypothesis: 'C', decision: keep('none') }, { metrics: [], command: 'c' });
    night.experiment({ hypothesis: 'D' }, { metrics: [reached(0.5)], command: 'd' });
    night.experiment({ hypothesis: 'E' }, { metrics: [reached(0.7)], command: 'e' });
    const text = buildBrief(night.facts());
    assert.match(partOf(text, 'Champion'), /\*\*accuracy 0\.96\*\*: \[run 3\]/);
    assert.match(text, /\*\*Met\*\*: accuracy 96 % > 95 % \(run 3/);
    const orderOf = (heading: string, pattern: RegExp): readonly string[] =>
      [...partOf(text, heading).matchAll(pattern)].map(([, id = '']) => id);
    assert.deepEqual(orderOf('What was tried', /\*\*(e\d)\*\*/g), ['e2', 'e1', 'e3', 'e5', 'e4']);
    assert.deepEqual(orderOf('To decide', /\[(e\d)\]/g), ['e5', 'e4']);
    assert.match(
      text,
      /\*\*e2\*\* “B” · accuracy 0\.96 in \[run 3\]\(runs\.md#run-3\) · also \[run 2\]/,
    );
  });

  it('gives a share of what was gained only where it tells something', () => {
    const gained = (from: number, to: number): string => {
      const night = new Night();
      night.run({ loss: from, command: 'a' });
      night.run({ loss: to, command: 'b' });
      return /First value: .*/.exec(buildBrief(night.facts()))?.[0] ?? '';
    };
    assert.match(gained(2, 1), /since then -50 %/);
    for (const [from, to] of [
      [-1, -21],
      [0.5, -3],
      [0, -1],
    ] as const)
      assert.doesNotMatch(gained(from, to), /%/);
  });

  it('compares with the mean of the reference, which is in the table of the best settings', () => {
    const night = new Night('bring loss below 0.3');
    for (let lr = 1; lr <= 9; lr += 1)
      night.experiment(
        { hypothesis: `try ${lr}`, decision: { is: lr === 9 ? 'reference' : 'keep', why: 'so' } },
        ...[0, 1].map((seed) => ({
          loss: lr + seed / 10,
          command: `train --lr ${lr} --seed ${seed}`,
        })),
      );
    const text = buildBrief(night.facts(), [], 'writeup.md');
    assert.match(
      text,
      /- Baseline: 9\.05 ± 0\.0707 in \[run 17\].*, \[run 18\]\(\S+\) \(since then -88\.4 %\)/,
    );
    assert.match(partOf(text, 'Results'), /\| 5 \|.*\n\| 9 \| 2 \| 9\.05 .*\n\n3 more: /);
    assert.match(text, /with its tables: \[writeup\.md\]\(writeup\.md\)/);
  });

  it('tells why it is blocked, and what paused it', () => {
    const blocked = new Night().end('blocked', 'The data set is missing: 0.5 of it.');
    assert.match(
      partOf(buildBrief(blocked.facts()), 'To decide'),
      /The session waits for you: “The data set is missing/,
    );
    const paused = new Night().add({ type: 'session.paused', by: 'error', detail: 'no key' });
    assert.match(
      partOf(buildBrief(paused.facts()), 'To decide'),
      /The session waits for you: “no key”/,
    );
  });

  it('accounts for money by model, plan money said so, and for hours by machine', () => {
    const cost = partOf(brief, 'Cost and time');
    assert.match(
      cost,
      /Model calls: \$0\.60, of which \$0\.20 at list price is covered by your plan/,
    );
    assert.match(cost, /claude\/claude-opus-5-5: 2 calls · 2\.2k tokens/);
    assert.match(cost, /gpu1: 1 h 52 min in 4 runs\n- local: 50 min in 3 runs/);
    assert.doesNotMatch(cost, /GPUs/, 'nothing is said of what was not watched');
  });

  it('says that a price is not known, and that the demo cost nothing', () => {
    const night = new Night();
    night.think(0.5);
    night.add({
      type: 'model.replied',
      turn: 9,
      provider: 'x',
      model: 'y',
      content: [],
      stop: 'tools',
      usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
      cost: { unknown: 'no price' },
    });
    assert.match(buildBrief(night.facts()), /at least \$0\.50/);
    assert.match(
      buildBrief(new Night('bring loss < 1', 'demo').facts()),
      /Model calls: \$0\.00 \(no model is called\)/,
    );
  });

  it('says how long GPUs stood idle where they were watched', () => {
    const facts = fullNight().facts();
    const runs = facts.runs.map((run) => ({
      ...run,
      gpu: { idleSeconds: 60, watchedSeconds: 600 },
    }));
    assert.match(
      buildBrief({ ...facts, runs }),
      /GPU idle time of the runs: 7 min of 1 h 10 min watched \(10 %\)/,
    );
  });

  it('tells what happened while nobody looked', () => {
    const happened = partOf(brief, 'What happened meanwhile');
    assert.match(happened, /The session slept once, for 1 h 35 min, without model calls/);
    assert.match(
      happened,
      /02:37:00 Session resumed\n.*02:17:00 Paused by an error · the provider did not answer/,
    );
  });

  it('has a place for every link that it gives', () => {
    const places = new Set([...brief.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id));
    const runs = buildRuns(fullNight().facts());
    for (const [, id] of runs.matchAll(/<a id="([\w-]+)">/g)) places.add(id);
    const targets = [...brief.matchAll(/\]\((?:runs\.md)?#([\w-]+)\)/g)].map(([, id]) => id);
    assert.ok(targets.length > 10);
    assert.deepEqual(
      targets.filter((id) => !places.has(id)),
      [],
    );
  });

  it('gives every figure of a metric with a run', () => {
    const lines = brief
      .split('\n')
      .filter((line) => /loss \d/.test(line) && !/^[>#]|“Question/.test(line));
    for (const line of lines) assert.match(line, /\[run \d+\]\(runs\.md#run-\d+\)|\(run \d/, line);
  });

  it('says the same of the same night', () => {
    assert.equal(buildBrief(fullNight().facts()), brief);
  });

  it('tells of a session that goes on', () => {
    const night = new Night();
    night.run({ metrics: [lossOf(0.9)], isOpen: true });
    const text = buildBrief(night.facts());
    assert.match(text, /\*\*Not ended\*\*/);
    assert.match(buildRuns(night.facts()), /\| running \|/);
  });

  it('lists a run as invalid, however it ended', () => {
    const night = new Night();
    night.experiment({ hypothesis: 'a', decision: { is: 'invalid', why: 'leak' } }, { loss: 0.1 });
    assert.match(buildRuns(night.facts()), /\| ok · invalid \|/);
  });
});

describe('the write-up', () => {
  it('quotes the account of the model around the tables, numbers flagged', () => {
    const text = buildWriteup(fullNight().facts(), 'We began at 1.4.\n\nThen 0.55.', [
      { path: 'charts/a.svg', text: 'a' },
    ]);
    assert.match(
      text,
      /In the words of claude claude-opus-5-5:\n\n> We began at 1\.4\.\n>\n> Then 0\.55†\.\n\n† Not measured by any run: 0\.55/,
    );
    assert.ok(text.indexOf('## Account') < text.indexOf('## Champion'));
    assert.match(text, /!\[a\]\(charts\/a\.svg\)/);
    assert.match(text, /\[All 7 runs\]\(runs\.md\)/);
  });

  it('has no account where none was given', () => {
    assert.doesNotMatch(buildWriteup(fullNight().facts(), ' \n'), /## Account/);
  });
});
