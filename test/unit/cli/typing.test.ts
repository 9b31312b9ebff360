import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { requestOf } from '../../../src/cli/steerLine.ts';
import { fakeDeps, shownBy, type FakeDeps } from '../../fakes/cliDeps.ts';
import { until } from '../../fakes/scratch.ts';
import { ScriptedModel, type ScriptedReply } from '../../fakes/scriptedModel.ts';

const wait: ScriptedReply = [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'timer', minutes: 60 }] } },
];
const quit: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];

describe('typing while a session works in the terminal', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-typing-'));
  });

  function begin(script: readonly ScriptedReply[], words: readonly string[] = ['--yes']) {
    const model = new ScriptedModel(script);
    const deps = fakeDeps({ folder, model, isTerminal: true });
    deps.stdout.columns = 100;
    const code = runCli(['-P', 'demo', ...words, 'a goal'], deps);
    const screen = (): string => shownBy(deps.stdout.text, 100).join('\n');
    return { deps, model, code, screen };
  }
  const shows = (screen: () => string, what: RegExp): Promise<void> =>
    until(
      () => `it shows ${what}\n${screen()}`,
      () => what.test(screen()),
    );
  const type = ({ stdin }: FakeDeps, text: string): void => void stdin.write(text);

  it('sends a line to the agent, and shows it while it is typed', async () => {
    const { deps, model, code, screen } = begin([wait, quit]);
    await shows(screen, /Sleep: r[\s\S]*> Type a message to the agent, or \/help/);
    type(deps, 'use lr 0.2');
    await shows(screen, /\n> use lr 0\.2$/);
    type(deps, '\u007f1\r');
    assert.equal(await code, 2);
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), /use lr 0\.1/);
    assert.doesNotMatch(screen(), /\n> /);
  });

  it('takes words for limits and notes, and says what is wrong with others', async () => {
    const { deps, code, screen } = begin([wait, wait, wait, wait, quit]);
    await shows(screen, /Sleep: r[\s\S]*Type a message/);
    type(deps, '/help\r');
    await shows(screen, /\/budget \$5, 2 h: change the limits/);
    type(deps, '/status\r');
    await shows(screen, / · turn \d · [\s\S]*No target was read from the goal\./);
    type(deps, '/target val_loss < 0.2\r');
    await shows(screen, /Target changed · none → val_loss < 0\.2/);
    await shows(screen, /Woke up: target changed/);
    type(deps, '/pn be brief\r');
    await shows(screen, /There is no command \/pn\. Did you mean \/pin/);
    type(deps, '/budget lots\r');
    await shows(screen, /lots/);
    type(deps, '/budget 7 turns\r');
    await shows(screen, /7 turns/);
    type(deps, '/pin be brief\r');
    await shows(screen, /Sticky note 1 pinned · be brief/);
    type(deps, '/unpin 1\r');
    await shows(screen, /Sticky note 1 removed/);
    assert.doesNotMatch(screen(), /Pinned as|Removed sticky/);
    // The change of the target is told once, and not as words of the user.
    assert.equal(screen().split('val_loss < 0.2').length - 1, 1, screen());
    assert.doesNotMatch(screen(), /You: The target/);
    type(deps, '/stop\r');
    assert.equal(await code, 2);
  });

  it('stops the session at Ctrl+C, and exits at the second', async () => {
    const { deps, code, screen } = begin([wait, quit]);
    await shows(screen, /Type a message/);
    type(deps, 'half a line\u0003');
    await shows(screen, /Stopping\. Runs continue/);
    type(deps, '\u0003');
    assert.equal(await code, 130);
  });

  it('leaves the keys to a question, and goes on with what was typed', async () => {
    const exec: ScriptedReply = [{ name: 'remote_exec', input: { command: 'touch x; sleep 0.3' } }];
    const { deps, model, code, screen } = begin([wait, exec, wait, quit], []);
    await shows(screen, /Sleep: r[\s\S]*Type a message/);
    type(deps, 'begin\r');
    await shows(screen, /Approve\?/);
    type(deps, 'y\n');
    await shows(screen, /Sleep: r[\s\S]*Sleep: r[\s\S]*Type a message/);
    type(deps, 'go on\r');
    assert.equal(await code, 2);
    const said = JSON.stringify(model.requests.at(-1)?.messages);
    assert.match(said, /begin[\s\S]*go on/);
    assert.doesNotMatch(said, /"y"/);
  });

  it('stands for requests', () => {
    assert.deepEqual(requestOf('/answer q1 the second one'), {
      kind: 'answer',
      question: 'q1',
      answer: 'the second one',
    });
    assert.deepEqual(requestOf('/stop runs'), { kind: 'stop', killRuns: true });
    assert.deepEqual(requestOf('/target loss < 1'), { kind: 'target', text: 'loss < 1' });
    assert.deepEqual(requestOf('see /tmp/x'), { kind: 'say', text: 'see /tmp/x' });
    for (const line of ['/answer q1', '/pin', '/model', '/constructor'])
      assert.throws(() => requestOf(line), line);
  });
});
