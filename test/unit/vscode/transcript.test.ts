import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { JournalEvent } from '../../../src/agent/journal/events.ts';
import { applyEvent } from '../../../src/agent/journal/fold.ts';
import { retryText } from '../../../src/presentation/sessions/retryText.ts';
import { EventText } from '../../../src/cli/screen/eventText.ts';
import { plainStyle } from '../../../src/cli/screen/style.ts';
import { noUsage } from '../../../src/models/model.ts';
import { answerPart, approvalParts } from '../../../src/vscode/sessions/approvalParts.ts';
import type { ChatPart } from '../../../src/vscode/sessions/chatPart.ts';
import { Transcript } from '../../../src/vscode/sessions/transcript.ts';
import {
  endedRun,
  recorded,
  runId,
  runsOf,
  runState,
  sessionId,
  started,
  stateOf,
  summaryOf,
} from './states.ts';

const requested = recorded({ type: 'model.requested', turn: 1, provider: 'claude', model: 'm' });
const replied = (text: string, changes: object = {}): JournalEvent =>
  recorded({
    type: 'model.replied',
    turn: 1,
    provider: 'claude',
    model: 'm',
    content: [{ type: 'text', text }],
    stop: 'stop',
    usage: noUsage,
    cost: { usd: 0.1 },
    ...changes,
  });
const finished = (changes: object = {}): JournalEvent =>
  recorded({
    type: 'tool.finished',
    callId: 'c1',
    name: 'write_file',
    text: 'done',
    isError: false,
    durationMs: 5,
    ...changes,
  });
const textOf = (parts: readonly ChatPart[]): string =>
  parts
    .flatMap((part) => {
      if (part.kind === 'links') return [];
      if (part.kind === 'retry') return [`(${retryText(part)})`];
      return [part.kind === 'progress' ? `(${part.text})` : part.markdown];
    })
    .join('\n');

describe('transcript', () => {
  const leftOut = { file: '/p/helios.json', parts: ['provider', 'model', 'notifications'] };
  const allowing = {
    kind: 'line',
    icon: 'shield',
    markdown:
      'Not used until you allow it: provider, model and notifications in /p/helios.json. Allow it with helios allow, or in VS Code with “Helios: Allow Project File…”.',
    button: { command: 'helios.allowProjectFile', title: 'Allow Project File…' },
  };

  it('begins with what does not count of the project file, and the way to allow it', () => {
    const transcript = new Transcript();
    const target = {
      kind: 'line',
      icon: 'target',
      markdown: 'Target: loss \\< 1 · `/target` changes it',
    };
    assert.deepEqual(transcript.event(started(), stateOf()), [target]);
    assert.deepEqual(transcript.event({ ...started(), leftOut }, stateOf()), [target, allowing]);
  });

  it('begins with the permission mode, and the way to change it', () => {
    const line = (permissions: object): ChatPart | undefined =>
      new Transcript().event({ ...started(), permissions } as JournalEvent, stateOf())[1];
    assert.deepEqual(line({ mode: 'ask' }), {
      kind: 'line',
      icon: 'shield',
      markdown:
        'Permission mode ask: Helios waits for your approval before each command and change.',
      link: { title: 'Change' },
    });
    const why = line({ mode: 'allow', note: 'Permission mode allow, as you chose.' });
    assert.equal(textOf(why ? [why] : []), 'Permission mode allow, as you chose.');
  });

  it('says it again when a session is resumed', () => {
    const resumed = recorded({ type: 'session.resumed', by: 'process 7', leftOut });
    const [first, second] = new Transcript().event(resumed, stateOf());
    assert.deepEqual(first, {
      kind: 'line',
      icon: 'debug-continue',
      markdown: 'Session resumed · process 7',
    });
    assert.deepEqual(second, allowing);
  });

  it('says why nothing of a file of others counts', () => {
    const why = 'belongs to another user';
    const [, one] = new Transcript().event(
      { ...started(), leftOut: { ...leftOut, why } },
      stateOf(),
    );
    assert.match(
      textOf(one ? [one] : []),
      /^Not used until you allow it: \/p\/helios\.json, which belongs to another user\. Allow/,
    );
    const [, other] = new Transcript().event(
      { ...started(), leftOut: { file: '/p/helios.json', parts: [], why } },
      stateOf(),
    );
    assert.equal(
      textOf(other ? [other] : []),
      'Not used: /p/helios.json, which belongs to another user.',
    );
  });

  it('names at the start the variables that runs get, and after a run what it lacked', () => {
    const transcript = new Transcript();
    const runVariables = ['WANDB_API_KEY', 'HF_TOKEN'];
    assert.equal(
      textOf(transcript.event({ ...started(), runVariables }, stateOf()).slice(1)),
      'Runs get WANDB\\_API\\_KEY, HF\\_TOKEN',
    );
    const ended = recorded({
      type: 'run.ended',
      runId: runId(1),
      verdict: { kind: 'failed', code: 1 },
      endedMs: 1,
      metrics: [],
      withheld: 'LAB_TOKEN is set here',
    });
    assert.match(textOf(transcript.event(ended, stateOf())), /LAB\\_TOKEN is set here$/);
  });

  it('shows a failed call without the marks of untrusted text', () => {
    const text = '<untrusted from="x">\nno space\n</untrusted>';
    const parts = new Transcript().event(finished({ isError: true, text }), stateOf());
    assert.equal(textOf(parts), 'write\\_file · failed: no space');
  });

  it('shows streamed text as it comes and not again when the reply is recorded', () => {
    const transcript = new Transcript();
    transcript.event(requested, stateOf());
    assert.deepEqual(transcript.stream({ type: 'text.delta', text: 'Hel' }), [
      { kind: 'text', markdown: 'Hel' },
    ]);
    assert.deepEqual(transcript.event(replied('Hello'), stateOf()), []);
  });

  it('shows a notice as what it is, and the reply that it came into only once', () => {
    const transcript = new Transcript();
    transcript.event(requested, stateOf());
    transcript.stream({ type: 'text.delta', text: 'Hello' });
    const notice = textOf(
      transcript.stream({ type: 'notice', text: 'No space left. The session waits.' }),
    );
    assert.match(notice, /No space left\. The session waits\./);
    assert.doesNotMatch(notice, /cut off|again/);
    assert.deepEqual(transcript.event(replied('Hello'), stateOf()), []);
  });

  it('shows a reply whole when the following began in the middle of it', () => {
    const transcript = new Transcript();
    assert.deepEqual(transcript.stream({ type: 'text.delta', text: 'lo' }), []);
    assert.deepEqual(transcript.event(replied('Hello'), stateOf()), [
      { kind: 'text', markdown: 'Hello' },
    ]);
  });

  it('says that a text was cut off, and shows the one that replaces it', () => {
    const transcript = new Transcript();
    transcript.event(requested, stateOf());
    transcript.stream({ type: 'text.delta', text: 'Hal' });
    const discarded = { type: 'text.discarded', why: 'Lab is limiting requests' } as const;
    assert.match(
      textOf(transcript.stream({ ...discarded, retryMs: 26_400 })),
      /cut off and is being written again\.\n\(Lab is limiting requests; next try in 27 s\)$/,
    );
    assert.equal(textOf(transcript.stream({ type: 'text.delta', text: 'Hello' })), 'Hello');
    assert.deepEqual(transcript.event(replied('Hello'), stateOf()), []);
  });

  it('says once, in one sentence, why a call failed that ends the session', () => {
    const failure = {
      reason: 'auth',
      problem: 'Lab answered 401: invalid key.',
      message: 'Lab answered 401: invalid key. Set LAB_KEY.',
    };
    const failed = replied('', { failure, stop: 'error', content: [] });
    const ended = recorded({
      type: 'session.ended',
      reason: 'error',
      summary: `The model cannot be used: ${failure.message}`,
      evidence: [],
    });
    const afterFailure = applyEvent(stateOf(), failed);
    const transcript = new Transcript();
    const parts = [
      ...transcript.event(failed, afterFailure),
      ...transcript.event(ended, applyEvent(afterFailure, ended)),
    ];
    assert.equal(textOf(parts), 'Lab answered 401: invalid key.');
  });

  it('does not take a failure that a later call overcame for the end of the session', () => {
    const failure = { reason: 'network', message: 'Cut.' };
    const failed = replied('', { failure, stop: 'error', content: [] });
    const ended = recorded({
      type: 'session.ended',
      reason: 'error',
      summary: 'Internal error',
      evidence: [],
    });
    const again = applyEvent(applyEvent(stateOf(), failed), requested);
    assert.equal(applyEvent(again, ended).end?.failure, undefined);
  });

  it('says that a reply was cut', () => {
    assert.match(
      textOf(new Transcript().event(replied('x', { stop: 'length' }), stateOf())),
      /output limit/,
    );
  });

  it('gives a line per tool: title, summary, files', () => {
    const transcript = new Transcript();
    const start = recorded({
      type: 'tool.started',
      callId: 'c1',
      name: 'write_file',
      effect: 'write',
      title: 'Wrote a.py',
    });
    assert.deepEqual(transcript.event(start, stateOf()), [
      { kind: 'progress', text: 'Wrote a.py' },
    ]);
    const [line] = transcript.event(
      finished({ summary: '12 lines', changedFiles: ['/project/a.py'] }),
      stateOf(),
    );
    assert.deepEqual(line, {
      kind: 'line',
      icon: 'edit',
      markdown: 'Wrote a.py · 12 lines',
      files: ['/project/a.py'],
    });
  });

  it('does not say twice what a summary repeats of its title', () => {
    const transcript = new Transcript();
    transcript.event(
      recorded({
        type: 'tool.started',
        callId: 'c1',
        name: 'x',
        effect: 'read',
        title: 'Launched',
      }),
      stateOf(),
    );
    assert.equal(
      textOf(transcript.event(finished({ summary: 'Launched run 7', runId: runId(7) }), stateOf())),
      'Launched run 7',
    );
  });

  it('says what a tool did that was started before anybody followed, not what it is called', () => {
    const done = finished({
      name: 'remote_exec_background',
      summary: 'run 7 · local',
      runId: runId(7),
    });
    assert.equal(textOf(new Transcript().event(done, stateOf())), 'run 7 · local');
    assert.equal(
      textOf(new Transcript().event(finished({ isError: true, summary: 'no' }), stateOf())),
      'write\\_file · no',
    );
  });

  it('shows errors of tools in safe words', () => {
    const text = textOf(
      new Transcript().event(
        finished({ isError: true, text: 'no [such](command:x) file' }),
        stateOf(),
      ),
    );
    assert.equal(text, 'write\\_file · failed: no \\[such\\](command:x) file');
  });

  it('says once that a call was not allowed', () => {
    const transcript = new Transcript();
    const why = 'the user did not allow it';
    const decided = recorded({
      type: 'permission.decided',
      callId: 'c1',
      isAllowed: false,
      by: 'person',
      why,
    });
    const result = finished({ isError: true, text: `Not allowed: ${why}. Find another way.` });
    const parts = [decided, result].flatMap((event) => transcript.event(event, stateOf()));
    assert.equal(textOf(parts), 'Denied by you');
    const terminal = new EventText(plainStyle);
    const lines = [decided, result].flatMap((event) => terminal.linesOf(event, stateOf()));
    assert.deepEqual(lines, ['Denied by you']);
  });

  it('shows characters that turn the text around as what they are', () => {
    const parts = new Transcript().event(
      finished({ summary: 'Ran echo \u202edone', changedFiles: [] }),
      stateOf(),
    );
    assert.equal(textOf(parts), 'Ran echo ⟨U+202E⟩done');
  });

  it('is quiet about tools whose effect is told by an event of its own', () => {
    const quiet = { name: 'sleep', isQuiet: true };
    assert.deepEqual(new Transcript().event(finished(quiet), stateOf()), []);
    assert.equal(
      new Transcript().event(finished({ ...quiet, isError: true }), stateOf()).length,
      1,
    );
  });

  it('counts notes and what was read, until the session pauses its work', () => {
    const transcript = new Transcript();
    const call = (countedAs: string, changes: object = {}): readonly ChatPart[] =>
      transcript.event(finished({ countedAs, ...changes }), stateOf());
    assert.deepEqual(call('note', { changedFiles: ['/w/note.md'] }), []);
    assert.deepEqual([...call('result'), ...call('result'), ...call('file')], []);
    assert.match(textOf(call('file', { isError: true, text: 'gone' })), /failed: gone/);
    const paused = recorded({ type: 'session.paused', by: 'user' });
    const [counts] = transcript.event(paused, stateOf());
    assert.equal(textOf(counts ? [counts] : []), '1 note written, 2 results read, 1 file read');
    assert.doesNotMatch(textOf(transcript.event(paused, stateOf())), /note/);
  });

  it('omits from a decision the reason that the reply before it gives', () => {
    const decided = recorded({
      type: 'experiment.decided',
      experimentId: 'e1',
      decision: 'discard',
      why: 'Worse by 0.1.',
      by: 'model',
    } as never);
    const transcript = new Transcript();
    assert.match(textOf(transcript.event(decided, stateOf())), /discard · Worse by 0\.1\.$/);
    transcript.event(replied('Run 1 ended. Worse by 0.1.'), stateOf());
    assert.match(textOf(transcript.event(decided, stateOf())), /discard$/);
  });

  it('shows that a session wakes only if no run has ended in its sleep', () => {
    const transcript = new Transcript();
    const awake = recorded({
      type: 'sleep.ended',
      sleepId: 'sl1',
      why: 'met',
      detail: 'run 1 ended',
    } as never);
    assert.equal(textOf(transcript.event(awake, stateOf())), 'Woke up: run 1 ended');
    const ended = recorded({
      ...{ type: 'run.ended', runId: runId(1), verdict: { kind: 'ok' }, endedMs: 0, metrics: [] },
    } as never);
    transcript.event(ended, stateOf({ runs: runsOf(runState(1)) }));
    assert.deepEqual(transcript.event(awake, stateOf()), []);
  });

  it('asks a question whole, with a link for each option', () => {
    const text = `May I ${'really '.repeat(60)}use [both](command:x)?`;
    const parts = new Transcript().event(
      recorded({
        ...{ type: 'question.asked', questionId: 'q1', callId: 'c', text, fallback: 'No' },
        ...{ options: ['Yes', 'No'], deadlineMs: 60_000 },
      } as never),
      stateOf(),
    );
    const asked = textOf(parts.slice(0, 1));
    assert.match(asked, /(really ){60}use \\\[both\\\]\(command:x\)\?\n\n1\. Yes\n\n2\. No\n\n/);
    assert.match(asked, /No answer by .* means: No$/);
    const [, links] = parts;
    assert.deepEqual(links?.kind === 'links' && links.links.map(({ title }) => title), [
      ...['Answer 1', 'Answer 2', 'Other Answer…'],
    ]);
    assert.doesNotMatch(JSON.stringify(links), /really|both/);
  });

  it('compares a run that ended with the best of those before it', () => {
    const state = stateOf({
      runs: runsOf(
        endedRun(1, 0.9),
        endedRun(2, 0.7),
        endedRun(3, 0.1, { kind: 'failed', code: 1 }),
        runState(4, { verdict: { kind: 'ok' } }),
      ),
    });
    const end = (loss: number): JournalEvent =>
      recorded({
        type: 'run.ended',
        runId: runId(4),
        verdict: { kind: 'ok' },
        endedMs: state.startedMs + 3_600_000,
        metrics: [summaryOf('lr', 0.1, 'none'), summaryOf('loss', loss)],
      });
    const table = textOf(new Transcript().event(end(0.5), state));
    assert.match(table, /\*\*Run 4: ok\*\* · lr=4 · 1 h/);
    assert.match(table, / · loss 0\.5 \(best so far 0\.7 in run 2 ▼ better\) · lr 0\.1$/);
    assert.match(textOf(new Transcript().event(end(0.8), state)), /0\.7 in run 2 ▲ worse/);
    assert.match(textOf(new Transcript().event(end(0.7), state)), /0\.7 in run 2 = same/);
  });

  it('marks a metric that became NaN', () => {
    const metrics = [
      { ...summaryOf('loss', 0.5), firstNonFinite: { index: 3, step: 12, value: Number.NaN } },
    ];
    const verdict = { kind: 'failed', code: 1 } as const;
    const event = recorded({ type: 'run.ended', runId: runId(1), verdict, endedMs: 0, metrics });
    const text = textOf(new Transcript().event(event, stateOf({ runs: runsOf(runState(1)) })));
    assert.match(text, /failed \(exit code 1\)/);
    assert.match(text, /NaN at step 12/);
  });

  it('says until when a session sleeps, and the reason where it adds something', () => {
    const state = stateOf({ runs: runsOf(runState(1), runState(2)) });
    const sleep = (reason: string): JournalEvent =>
      recorded({
        type: 'sleep.started',
        sleepId: 's1',
        callId: 'c',
        request: {
          reason,
          logic: 'all',
          triggers: [1, 2].map((number) => ({
            type: 'process_exit' as const,
            runId: runId(number),
            name: `gpu1:${100 + number}`,
          })),
        },
      });
    assert.equal(
      textOf(new Transcript().event(sleep('until runs 1 and 2 end'), state)),
      'Sleeping until runs 1 and 2 end',
    );
    assert.match(textOf(new Transcript().event(sleep('both rates'), state)), /end · both rates$/);
  });

  it('ends with the reason, the summary and what was measured', () => {
    const evidence = [
      {
        runId: runId(8),
        run: 'run 8',
        metric: 'val_loss',
        last: 1.888,
        best: 1.88,
        lastStep: 9,
        count: 30,
      },
    ];
    const event = recorded({
      type: 'session.ended',
      reason: 'goal',
      summary: 'Wider was better.',
      evidence,
    });
    const text = textOf(new Transcript().event(event, stateOf()));
    assert.equal(
      text,
      '**Goal met**\nWider was better.\n- val\\_loss **1.888** in run 8 (best 1.88, 30 points)',
    );
    const transcript = new Transcript();
    transcript.event(replied('All told: Wider was better.'), stateOf());
    assert.ok(!textOf(transcript.event(event, stateOf())).includes('Wider'));
    const marked = 'Wider was better, by 7.5 (not measured).';
    transcript.event(replied('Wider was better, by 7.5.'), stateOf());
    const unmeasured = { ...event, summary: 'Wider was better, by 7.5.', marked };
    assert.ok(textOf(transcript.event(unmeasured, stateOf())).includes(marked));
  });

  it('links the changes of files that a call edited, and names those of a command', () => {
    const transcript = new Transcript();
    const stored = { hash: 'a', sizeBytes: 1, mode: 0o644 };
    const files = [{ path: '/w/a.py', before: stored, after: { ...stored, hash: 'b' } }];
    const changed = (callId: string, by: 'tool' | 'command') =>
      transcript.event(recorded({ type: 'files.changed', callId, by, files }), stateOf());
    assert.deepEqual(changed('c1', 'tool'), []);
    const [line] = transcript.event(finished({ changedFiles: ['/w/a.py'] }), stateOf());
    assert.ok(line?.kind === 'line' && line.edited === sessionId);
    const [command] = changed('c2', 'command');
    assert.ok(command?.kind === 'line' && command.edited === sessionId);
    assert.deepEqual(command.files, ['/w/a.py']);
  });

  it('shows nothing of an event that it does not know', () => {
    const future = { type: 'session.dreamt', v: 1, id: 'e', at: 0 } as unknown as JournalEvent;
    assert.deepEqual(new Transcript().event(future, stateOf()), []);
  });

  describe('of an approval', () => {
    const partsOf = (detail: string): ReturnType<typeof approvalParts> =>
      approvalParts({ sessionId, callId: 'c', title: 'Run rm', effect: 'execute', detail });

    it('shows the call line by line as code, which the chat wraps, with all answers', () => {
      const { parts, choices } = partsOf('rm -rf `x` $(bug)\n```\n\n end');
      assert.equal(
        textOf(parts),
        'Needs your approval to run a command:\n\n\n`` rm -rf `x` $(bug) ``\\\n```` ``` ````\\\n` `\\\n`  end `\n\n',
      );
      // A block or a line is shown with theme icons, and `$(bug)` would be one of them.
      assert.equal(parts[1]?.kind, 'text');
      assert.deepEqual(choices, [
        ['Approve Once', 'allow'],
        ['Deny', 'deny'],
      ]);
    });

    it('says what the answers for later calls cover, and which answer was given', () => {
      const offer = { scopes: ['session'], label: 'rm', covers: ['rm … on local'] } as const;
      const request = { sessionId, callId: 'c', title: 'Sweep 9 points', detail: 'rm' };
      const { parts } = approvalParts({ ...request, effect: 'execute', offer });
      assert.match(
        textOf(parts),
        /^Needs your approval to run a command · \*\*Sweep 9 points\*\*:/,
      );
      assert.match(textOf(parts), /The answers for later calls cover: rm … on local$/);
      assert.equal(textOf([answerPart('allow_session')]), 'Approved for this session');
    });

    it('shows only the start of a long call, and offers to review it instead of to approve it', () => {
      const { parts, choices } = partsOf(`command: ${'ls\n'.repeat(1_000)}`);
      assert.match(
        textOf(parts),
        /^Needs your approval to run a command \(3,009 characters, 1001 lines; review it to approve\):\n/,
      );
      assert.ok(textOf(parts).length < 300);
      assert.deepEqual(choices, [
        ['Review', 'review'],
        ['Deny', 'deny'],
      ]);
    });
  });
});
