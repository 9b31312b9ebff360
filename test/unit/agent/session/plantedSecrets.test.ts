/** Secrets that stand in the environment, in files and in output reach nobody but the programs. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, it } from 'mocha';
import type { ModelEvent, ModelRequest } from '../../../../src/models/model.ts';
import type { Session } from '../../../../src/agent/contract/sessions.ts';
import { KeptLog } from '../../../fakes/keptLog.ts';
import { plantedSecrets, type Planted } from '../../../fakes/plantedSecrets.ts';
import { ScriptedModel, type ScriptedReply } from '../../../fakes/scriptedModel.ts';
import { eventsOf, testEngine, type TestEngine } from '../../../fakes/testEngine.ts';
import { exportRecords } from '../../../../src/presentation/archive/exportRecords.ts';
import { exportText } from '../../../../src/presentation/archive/exportText.ts';
import { journalDocument } from '../../../../src/vscode/sessions/journalDocument.ts';

const files = ['train.log', 'traceback.txt', 'ssh_config', 'notebook.ipynb', 'settings.yaml'];

const call = (name: string, input: Record<string, unknown>): ScriptedReply => [{ name, input }];
const wait = call('sleep', {
  reason: 'it trains',
  wake_conditions: [{ type: 'process_exit', run: 1 }],
  deadline_minutes: 1,
});
const finish = call('finish', { outcome: 'blocked', summary: 'no GPU', evidence: [] });

/** Streams its text in pieces of a few characters. */
class SlowModel extends ScriptedModel {
  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    for await (const event of super.stream(request, signal)) {
      if (event.type !== 'text.delta') yield event;
      else
        for (const [text] of event.text.matchAll(/[^]{1,7}/g)) yield { type: 'text.delta', text };
    }
  }
}

const textIn = (event: unknown): string =>
  typeof event === 'object' && event !== null && 'text' in event ? String(event.text) : '';

describe('planted secrets', () => {
  let bed: TestEngine | undefined;
  const ownVariables: string[] = [];
  afterEach(async () => {
    await bed?.dispose();
    bed = undefined;
    for (const name of ownVariables.splice(0)) Reflect.deleteProperty(process.env, name);
  });

  /** Writes the secrets into files of the working folder, each into one of them. */
  async function plantIn(folder: string, planted: readonly Planted[]): Promise<void> {
    for (const [index, name] of files.entries()) {
      const own = planted.filter((_, at) => at % files.length === index);
      const lines = own.map(({ text }, at) => `step=${at} loss=0.${at + 10} ${text}`);
      await writeFile(path.join(folder, name), `${lines.join('\n')}\nend of file\n`);
    }
    const env = planted.slice(0, 10).map(({ secret }, at) => `EXTRA_${at}="${secret}"`);
    await writeFile(path.join(folder, '.env'), `${env.join('\n')}\nGRAPH_ID=k3J9xQ2mPz8sW4\n`);
  }

  /** A command that prints each secret in two pieces, split at another offset each. */
  const splitOutput = (planted: readonly Planted[]): string =>
    [
      'from sys import stdout',
      'def piece(text):',
      '    stdout.write(text)',
      '    stdout.flush()',
      ...planted.flatMap(({ text }, at) => {
        const cut = 1 + ((at * 7) % (text.length - 1));
        const [one, two] = [text.slice(0, cut), text.slice(cut)].map((part) =>
          JSON.stringify(part),
        );
        return [`piece(${one})`, `piece(${two})`, `piece("\\nstep=${at} loss=0.5\\n")`];
      }),
      'raise SystemExit(1)',
    ].join('\n');

  const textOf = async (folder: string): Promise<string> => {
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = names
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(path.join(entry.parentPath, entry.name), 'latin1'));
    return (await Promise.all(texts)).join('\n');
  };

  const exported = async ({ engine }: TestEngine, session: Session): Promise<string> => {
    const { home, sessions, redact } = engine;
    let text = '';
    for (const kind of ['sessions', 'messages', 'events'] as const)
      for await (const piece of exportText(exportRecords({ home, sessions }, kind, session.id), {
        format: 'json',
        columns: ['text', 'goal', 'summary', 'event', 'data', 'content'],
        redact,
      }))
        text += piece;
    return text;
  };

  it('are in no request, journal, export, notification, preview or log', async () => {
    const planted = plantedSecrets();
    const variables = plantedSecrets().slice(0, 8);
    for (const [at, { secret }] of variables.entries()) {
      process.env[`PLANTED_${at}_API_KEY`] = secret;
      ownVariables.push(`PLANTED_${at}_API_KEY`);
    }
    const stored = 'quiet river beside stone';
    const log = new KeptLog();
    const shown: unknown[] = [];
    const model = new SlowModel([
      ...files.map((name) => call('read_file', { path: name })),
      call('remote_exec', { command: `cat ${files.join(' ')} .env; env` }),
      call('remote_exec', { command: `cat ${files.join(' ')} >&2; exit 3` }),
      call('remote_exec', { command: 'for i in 1 2 3 4 5 6; do cat *.log *.txt *.yaml; done' }),
      call('remote_exec', { command: 'for f in *; do cp "$f" "$f.copy"; done; grep -r . .' }),
      call('remote_exec', { command: `cat .env # ${planted[2]?.text}` }),
      call('remote_exec', { command: 'echo ⟨secret 0123abcd⟩' }),
      call('remote_exec_background', { command: 'python3 train.py', label: 'small' }),
      wait,
      call('task_output', { run: 1, lines: 2000 }),
      { text: variables.map(({ secret }) => `The key is ${secret}.`).join('\n') },
      call('memory_write', { path: 'notes/key', gist: 'key', content: planted[0]?.text ?? '' }),
      finish,
    ]);
    bed = await testEngine(model, {
      approve: () => Promise.resolve('allow'),
      logger: log,
      settings: {
        endpoints: [{ id: 'lab', baseUrl: 'http://x/v1', [planted[3]?.secret ?? '']: 1 }],
      },
      ports: {
        secret: (name) => Promise.resolve(name === 'anthropic' ? stored : undefined),
        notify: (message) => void shown.push(message),
      },
    });
    await plantIn(bed.work, planted);
    await writeFile(path.join(bed.work, 'train.py'), splitOutput(planted));
    const session = await bed.start({ goal: `bring loss < 1 with ${planted[1]?.text}, ${stored}` });
    session.onDidStream((event) => void shown.push(event));
    await session.ended;
    const reading = await bed.engine.sessions.read(session.id);
    const brief = await bed.engine.reports.brief(session.id);
    assert.equal(eventsOf(session, 'run.ended').length, 1);
    const sinks = {
      requests: inspected(model.requests),
      events: inspected(session.events()),
      files: await textOf(path.join(bed.home, 'sessions')),
      index: await readFile(path.join(bed.home, 'session-index.db'), 'latin1').catch(() => ''),
      export: await exported(bed, session),
      shown: inspected(shown),
      streamed: shown.map((event) => textIn(event)).join(''),
      preview: journalDocument(reading, Date.now()).replaceAll('\\', ''),
      brief,
      log: log.text,
    };
    const all = [...planted, ...variables, { text: stored, secret: stored }].map(
      ({ secret }) => secret,
    );
    assert.ok(all.length >= 100, `${all.length} secrets`);
    for (const [sink, text] of Object.entries(sinks))
      for (const secret of all)
        assert.ok(!text.includes(secret), `${around(text, secret)}, ${sink}`);
    assert.match(sinks.log, /⟨secret/);
    assert.match(sinks.events, /Not run: ⟨secret 0123abcd⟩ stands for a secret value/);
    assert.ok(!sinks.requests.includes('k3J9xQ2mPz8sW4'), 'a random value in .env');
    assert.match(sinks.requests, /⟨secret PLANTED_0_API_KEY [a-f\d]{8}⟩/);
    assert.match(sinks.requests, /step=0 loss=0\.10/);
    assert.deepEqual(
      reading.ledger.rows.flatMap(({ metrics }) => metrics.map(({ metric }) => metric)).slice(0, 1),
      ['loss'],
    );
  });
});

const inspected = (value: unknown): string =>
  `${JSON.stringify(value)}\n${inspect(value, { depth: 20, maxStringLength: null, maxArrayLength: null, breakLength: Infinity })}`;

/** Returns where the secret is, for the message of a failure. */
function around(text: string, secret: string): string {
  const at = text.indexOf(secret);
  return `${secret} is in … ${text.slice(Math.max(0, at - 80), at + secret.length + 20)} …`;
}
