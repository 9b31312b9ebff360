/** The offline demo to its goal, on an emulated Mac and on an SSH host of that kind. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import type { JournalEvent } from '../../src/agent/journal/events.ts';
import { foldSession } from '../../src/agent/journal/fold.ts';
import type { ChatPart } from '../../src/vscode/sessions/chatPart.ts';
import { Transcript } from '../../src/vscode/sessions/transcript.ts';
import { programFile, repositoryRoot } from '../setup/paths.ts';
import { scratchFolder } from '../fakes/scratch.ts';
import { TestSshd } from '../fakes/sshd.ts';

const goal = readFileSync(join(repositoryRoot, 'media/demo/goal.txt'), 'utf8').trim();
/** What the chat shows of a session, without progress, which VS Code removes again. */
function chatParts(journal: string): readonly ChatPart[] {
  const events = journal
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalEvent);
  const transcript = new Transcript();
  return events
    .flatMap((event, index) => {
      const state = foldSession(events.slice(0, index + 1));
      return state === undefined ? [] : transcript.event(event, state);
    })
    .filter(({ kind }) => kind !== 'progress');
}

/** Counts the paragraphs; lines that follow each other are one. */
const paragraphsOf = (parts: readonly ChatPart[]): number =>
  parts.filter(({ kind }, index) => kind !== 'line' || parts[index - 1]?.kind !== 'line').length;

/** Met by the first runs: most of the time of the demo is that of its training. */
const near = goal.replace('1.94', '2');

describe('the demo on an emulated Mac', function () {
  // The demo trains as long as the machine needs.
  this.timeout(1_200_000);
  const folder = scratchFolder();
  let sshd: TestSshd;
  before(async () => {
    sshd = await TestSshd.start();
  });
  after(() => sshd.dispose());

  /** Resolves with the journal. */
  async function demo(text: string): Promise<string> {
    const home = join(folder(), 'home');
    const work = join(folder(), 'work');
    mkdirSync(home);
    cpSync(join(repositoryRoot, 'media/demo'), work, { recursive: true });
    const machine = { id: 'mac', kind: 'ssh', alias: 'mac', workFolder: sshd.folder };
    writeFileSync(join(home, 'machines.json'), JSON.stringify({ version: 1, machines: [machine] }));
    mkdirSync(join(folder(), '.ssh'), { mode: 0o700 });
    writeFileSync(
      join(folder(), '.ssh/config'),
      `Host mac\n HostName 127.0.0.1\n Port ${sshd.port}\n User ${userInfo().username}\n` +
        ` IdentityFile ${sshd.folder}/key\n UserKnownHostsFile ${sshd.knownHosts}\n`,
      { mode: 0o600 },
    );
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const main = programFile('cli');
    const child = spawn(process.execPath, [main, '-P', 'demo', '--yes', '--home', home, text], {
      cwd: work,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, NODE_COMPILE_CACHE, HOME: folder() },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (words: string) => (output += words));
    const [code] = (await once(child, 'close')) as [number | null];
    assert.equal(code, 0, output);
    const sessions = join(home, 'sessions');
    const [id = ''] = readdirSync(sessions);
    return readFileSync(join(sessions, id, 'journal.jsonl'), 'utf8');
  }

  const eventsOf = (journal: string, type: string): string[] =>
    journal.split('\n').filter((line) => line.includes(`"type":"${type}"`));

  // `.mocharc.json` leaves out those whose names have "its own goal".
  for (const [place, text, machineId] of [
    ['a near goal on this computer', near, 'local'],
    ['its own goal on this computer', goal, 'local'],
    ['its own goal over SSH', `${goal} on mac`, 'mac'],
  ] as const)
    it(`meets ${place}, and keeps the code of its experiments`, async () => {
      const journal = await demo(text);
      assert.match(journal, /"outcome":"goal_met"/);
      const runs = eventsOf(journal, 'run.planned').filter((line) =>
        line.includes(`"machineId":"${machineId}"`),
      );
      assert.ok(runs.length > (text === near ? 1 : 3), `${runs.length} runs`);
      const lines = chatParts(journal).flatMap((part) => (part.kind === 'line' ? part : []));
      const sleeps = lines.map(({ markdown }) => markdown).filter((line) => /^Sleep/.test(line));
      for (const sleep of sleeps) assert.match(sleep, /^Sleeping until runs? [^·]+ ends?$/);
      const paragraphs = paragraphsOf(chatParts(journal));
      assert.ok(paragraphs <= 35, `${paragraphs} paragraphs in the chat`);
    });
});
