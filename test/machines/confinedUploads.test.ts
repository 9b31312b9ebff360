/** Folders that a session uploaded to an SSH host whose working folder is the home folder. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'mocha';
import { LoginHost } from '../fakes/loginHost.ts';
import { ScriptedModel, type ScriptedCall } from '../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../fakes/testEngine.ts';

const on = { machine_id: 'gpu1' };
const quit: ScriptedCall = { name: 'finish', input: { outcome: 'blocked', summary: 'ok' } };
const untilRun: ScriptedCall = {
  name: 'sleep',
  input: { reason: 'r', wake_conditions: [{ type: 'process_exit', run: 1 }], deadline_minutes: 5 },
};
const upload = (remote_path: string): ScriptedCall => ({
  name: 'remote_upload',
  input: { ...on, local_path: 'digits', remote_path },
});
const launch = (command: string, more: object = {}): ScriptedCall => ({
  name: 'remote_exec_background',
  input: { ...on, command, metric_names: ['loss'], ...more },
});
const exec = (command: string, cwd: string): ScriptedCall => ({
  name: 'remote_exec',
  input: { ...on, command, cwd },
});

describe('confined commands on an SSH machine that works in its home folder', function () {
  this.timeout(120_000);
  let host: LoginHost;
  const beds: TestEngine[] = [];
  before(async () => {
    host = await LoginHost.start('ssh');
  });
  afterEach(async () => {
    for (const bed of beds.splice(0)) await bed.dispose();
  });
  after(() => host?.dispose());

  const played = async (calls: readonly ScriptedCall[]) => {
    const folder = mkdtempSync(join(tmpdir(), 'helios-engine-'));
    const code = join(folder, 'work', 'digits');
    mkdirSync(code, { recursive: true });
    writeFileSync(join(code, 'train.sh'), 'echo loss=0.5 >out && cat out\n');
    writeFileSync(join(code, 'attack.sh'), 'touch begun; touch "$HOME/$1/planted"\n');
    const model = new ScriptedModel((_request, index) => [calls[index] ?? quit]);
    const bed = await testEngine(model, {
      settings: { report: 'never', confinement: 'always' },
      approve: () => Promise.resolve('allow'),
      createMachine: host.createMachine,
      folder,
    });
    beds.push(bed);
    await bed.engine.machines.add({ id: 'gpu1', kind: 'ssh', alias: 'login' });
    const session = await bed.start();
    await session.ended;
    return { session, texts: eventsOf(session, 'tool.finished').map(({ text }) => text ?? '') };
  };

  it('write the folders that the session uploaded, and nothing beside them', async () => {
    const { session, texts } = await played([
      upload('digits'),
      launch('sh train.sh', { cwd: 'digits' }),
      untilRun,
      exec('sh attack.sh .', 'digits'),
      { name: 'list_machines', input: {} },
    ]);
    const [end] = eventsOf(session, 'run.ended');
    assert.deepEqual(end?.verdict, { kind: 'ok' }, texts.join('\n'));
    assert.equal(readFileSync(join(host.home, 'digits', 'out'), 'utf8'), 'loss=0.5\n');
    assert.ok(existsSync(join(host.home, 'digits', 'begun')), texts[3]);
    assert.ok(!existsSync(join(host.home, 'planted')));
    assert.match(texts[4] ?? '', /"confined":"bubblewrap, network on; .*only folders .*uploaded/);
  });

  it('get no grants from uploads to the home itself, hidden folders and programs', async () => {
    const folders = ['.', '.config/tool', 'bin', 'tools/bin'];
    const { texts } = await played([
      upload('digits'),
      ...folders.map(upload),
      ...folders.map((folder) => exec(`sh attack.sh ${folder}`, 'digits')),
    ]);
    assert.ok(existsSync(join(host.home, 'digits', 'begun')), texts.join('\n'));
    for (const folder of folders) {
      assert.ok(existsSync(join(host.home, folder, 'train.sh')), texts.join('\n'));
      assert.ok(!existsSync(join(host.home, folder, 'planted')), folder);
    }
  });

  it('do not start in a folder below /tmp that is not granted', async () => {
    const { session, texts } = await played([launch('sh train.sh')]);
    assert.match(
      texts[0] ?? '',
      /commands on gpu1 are confined, with a \/tmp of their own, so none starts in \S+\/home\. .*uploaded.*working folder of gpu1/,
    );
    assert.equal(session.state.runs.size, 0);
  });
});
