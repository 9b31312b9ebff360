import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import { fakeDeps, shownBy, type FakeDeps } from '../../fakes/cliDeps.ts';
import { until } from '../../fakes/scratch.ts';
import { ScriptedModel, type ScriptedReply } from '../../fakes/scriptedModel.ts';

const launch = (command: string, more: object = {}): ScriptedReply => [
  { name: 'remote_exec_background', input: { command, ...more } },
];
const untilRun: ScriptedReply = [
  { name: 'sleep', input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }] } },
];
const quit: ScriptedReply = [{ name: 'finish', input: { outcome: 'blocked', summary: 'enough' } }];

describe('helios watch', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'helios-watch-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const world = (script: readonly ScriptedReply[] = [], isTerminal = false): FakeDeps => {
    const deps = fakeDeps({ folder, isTerminal, model: new ScriptedModel(script) });
    deps.stdout.columns = 100;
    return deps;
  };
  const work = (deps: FakeDeps): Promise<number> => runCli(['-P', 'demo', '--yes', 'a goal'], deps);

  it('shows the live values of the runs of a session that works elsewhere', async () => {
    const command = 'echo loss=0.5; echo loss=0.25; until [ -e go ]; do sleep 0.1; done';
    const worker = world([launch(command), untilRun, quit]);
    const working = work(worker);
    await until('the run is launched', () => /Launched/.test(worker.stdout.text));
    const watcher = world([], true);
    const watching = runCli(['watch', '1'], watcher);
    const screen = (): string => shownBy(watcher.stdout.text, 100).join('\n');
    await until(`the value is shown:\n${screen()}`, () => /1 running.*loss 0\.25/.test(screen()));
    writeFileSync(path.join(folder, 'go'), '');
    assert.equal(await working, 2);
    assert.equal(await watching, 2);
    assert.match(
      screen(),
      /Blocked\s+enough\s+3 turns · 1 run · \$0\.00 \(no model is called\) · \d+ m?s/,
    );
    assert.doesNotMatch(screen(), /1 running/);
  });

  it('shows of a run the metrics that were read from its files, not those of its output', async () => {
    const command = 'echo loss=9; printf "step,loss\\n1,0.5\\n2,0.25\\n" > log.csv';
    const worker = world([launch(command, { metrics_from: ['log.csv'] }), untilRun, quit]);
    await work(worker);
    const [handle = ''] = /local:\d+/.exec(worker.stdout.text) ?? [];
    const watcher = world();
    assert.equal(await runCli(['watch', handle], watcher), 0);
    assert.match(watcher.stdout.text, /\nloss=9\n.*ok after .* · loss 0\.25\n$/s);
  });
});
