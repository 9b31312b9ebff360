/** Lines that only read, run over SSH as they were judged, whatever files and values are named. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { Machines } from '../../src/machines/machine.ts';
import { SshConnection } from '../../src/machines/ssh/sshConnection.ts';
import { SshMachine } from '../../src/machines/ssh/sshMachine.ts';
import { createGate } from '../../src/permissions/gate.ts';
import { remoteExec } from '../../src/tools/machines/remoteExec.ts';
import { accessVerdict } from '../../src/tools/parameters/commandVerdict.ts';
import { ManualClock } from '../fakes/manualClock.ts';
import { scriptedPrompts, TestSshd, writePasswd } from '../fakes/sshd.ts';
import { toolContext } from '../unit/tools/machineTools.harness.ts';

/** What a line must not run, wherever it stands. Names of files have no slash. */
const touch = 'touch canary';

/** Folders of runs that a shell would take apart, or take for more than a name. */
const runs = [
  'plain',
  'two words',
  `a; ${touch}`,
  `$(${touch})`,
  `\`${touch}\``,
  `a | ${touch}`,
  `a & ${touch} #`,
  `it's "so"`,
  '-rf',
  '*',
  `a\n${touch}`,
];

/** Of these, also names that a loop takes as values. */
const steps = ['plain', 'two words', `a; ${touch}`, `a & ${touch} #`, `a | ${touch}`, '-rf'];

interface JudgedLine {
  readonly line: string;
  /** Lines of the output that must be there. */
  readonly prints: readonly string[];
}

const lines: readonly JudgedLine[] = [
  {
    line: 'grep -c loss runs/*/log.txt',
    prints: [
      'runs/two words/log.txt:2',
      `runs/a; ${touch}/log.txt:2`,
      `runs/$(${touch})/log.txt:2`,
    ],
  },
  { line: `x='a b; ${touch}'; echo "$x"`, prints: [`a b; ${touch}`] },
  { line: `x='a b; ${touch}'; echo $x`, prints: [`a b; ${touch}`] },
  { line: `x='; ${touch}'; grep -c "$x" notes.txt`, prints: ['1'] },
  { line: 'echo "lines: $(wc -l < notes.txt)"', prints: ['lines: 2'] },
  {
    line: 'for f in steps/*/log.txt; do grep -c loss "$f"; done',
    prints: steps.map(() => '2'),
  },
  { line: 'for f in steps/*/log.txt; do tail -n 1 $f; done', prints: steps.map(() => 'loss=1') },
  {
    line: `while read -r line; do echo "got $line"; done < notes.txt`,
    prints: [`got $(${touch})`, `got ; ${touch}`],
  },
  {
    line: 'find runs -name log.txt -exec grep -c loss {} +',
    prints: [`runs/a | ${touch}/log.txt:2`],
  },
  { line: "find runs -name log.txt -exec grep -c loss {} ';'", prints: runs.map(() => '2') },
  {
    line: `echo '$(${touch})' "; ${touch}" '\`${touch}\`'`,
    prints: [`$(${touch}) ; ${touch} \`${touch}\``],
  },
  { line: `grep -c '$(${touch})' notes.txt`, prints: ['1'] },
  { line: `grep -F '; ${touch}' notes.txt | wc -l`, prints: ['1'] },
];

for (const shell of ['/bin/bash', '/usr/bin/dash'])
  describe(`lines that only read, for an account with ${shell}`, () => {
    let sshd: TestSshd;
    let connection: SshConnection;
    let machine: SshMachine;
    let machines: Machines;
    let work: string;
    before(async () => {
      sshd = await TestSshd.start([], {
        address: '127.0.0.1',
        instead: (folder) => {
          writePasswd(join(folder, 'passwd'), { shell, home: join(folder, 'home') });
          return { '/etc/passwd': join(folder, 'passwd') };
        },
      });
      work = join(sshd.folder, 'home', 'my work');
      for (const name of [
        ...runs.map((each) => join('runs', each)),
        ...steps.map((each) => join('steps', each)),
      ]) {
        mkdirSync(join(work, name), { recursive: true });
        writeFileSync(join(work, name, 'log.txt'), 'loss=2\nloss=1\n');
      }
      writeFileSync(join(work, 'notes.txt'), `$(${touch})\n; ${touch}\n`);
      connection = new SshConnection(sshd.target(), scriptedPrompts());
      const homeFolder = join(sshd.folder, 'home');
      machine = new SshMachine({ id: 'gpu1', connection, homeFolder, workFolder: work });
      machines = createMachines([machine]);
    });
    after(async () => {
      machine?.dispose();
      connection?.dispose();
      await sshd?.dispose();
    });

    /** Decides on a call and carries it out, as the loop does; nobody is asked. */
    async function run(command: string): Promise<{ stdout: string; stderr: string }> {
      const tool = remoteExec({ machines });
      const parsed = tool.parse({ machine_id: 'gpu1', command });
      assert.ok(parsed.ok);
      const gate = createGate({
        mode: () => 'ask',
        ask: ({ detail }) => assert.fail(`asked: ${detail}`),
        clock: new ManualClock(),
        judge: (access) => accessVerdict(machines, access),
      });
      const about = { callId: 'c', tool: 'remote_exec', title: '', isOwnData: false, detail: '' };
      const { accesses } = await gate.decide(
        { ...about, effect: 'execute', accesses: await tool.accesses(parsed.args) },
        new AbortController().signal,
      );
      const { content } = await tool.execute(parsed.args, { ...toolContext(), accesses });
      return content as { stdout: string; stderr: string };
    }

    for (const { line, prints } of lines)
      it(`run ${JSON.stringify(line)} as it was judged`, async () => {
        const { stdout, stderr } = await run(line);
        assert.equal(stderr, '', stdout);
        const printed = stdout.split('\n');
        for (const each of prints) {
          const at = printed.indexOf(each);
          assert.notEqual(at, -1, `${each} is not in ${stdout}`);
          printed.splice(at, 1);
        }
        for (const folder of [work, join(work, '..'), join(work, 'runs')])
          assert.ok(!existsSync(join(folder, 'canary')), `${folder} has a canary`);
      });
  });
