import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { SessionId } from '../../../../src/base/ids.ts';
import { confineScript } from '../../../../src/machines/confinement/confine.ts';
import {
  confinedMachine,
  startFailure,
} from '../../../../src/machines/confinement/confinedMachine.ts';
import {
  confinementNote,
  ownNetworkNote,
} from '../../../../src/machines/confinement/confinementNote.ts';
import { ConfinementProbes } from '../../../../src/machines/confinement/confinementProbes.ts';
import { hiddenPaths, type Confinement } from '../../../../src/machines/confinement/policy.ts';
import { checkedEntry } from '../../../../src/machines/machineEntry.ts';
import type { ExecResult, Machine } from '../../../../src/machines/machine.ts';
import { usualPaths } from '../../../../src/permissions/pathRules.ts';

const confinement: Confinement = {
  network: 'all',
  writable: ['/w', '~/data'],
  sessionId: 's-1' as SessionId,
};

describe('the confinement of commands', () => {
  it('hides the usual places of keys, and what else no call may read', () => {
    const home = '/home/ada';
    const isHidden = (path: string): boolean =>
      hiddenPaths.some((hidden) => `${path}/`.startsWith(`${home}/${hidden}/`));
    // Those of Helios and of the system are hidden by confine.sh, and macOS has no bubblewrap.
    const others = /^\/(?!home)|\/\.helios\/|\/Library\//;
    const places = usualPaths.keyPlaces(home).filter((path) => !others.test(path));
    assert.deepEqual(
      places.filter((path) => !isHidden(path)),
      [],
    );
    const isKey = (path: string): boolean =>
      ['', '/credentials', '/config', '/config.json', '/keys.txt'].some((end) =>
        usualPaths.isKey(`${home}/${path}${end}`),
      );
    // A socket of a program that signs with keys, and keys of another place.
    assert.deepEqual(
      hiddenPaths.filter((path) => !isKey(path)),
      ['.1password', '.config/sops'],
    );
  });

  it('grants no folder whose name is two lines', () => {
    const machine = { kind: 'local', runsFolder: '/h/runs' } as const;
    assert.throws(
      () => confineScript(machine, { ...confinement, writable: ['/w\n/etc'] }),
      /The folder "\/w\\n\/etc" cannot be granted/,
    );
  });

  const refused: readonly (readonly [string, string])[] = [
    ['touch: cannot touch /opt/a/b: Read-only file system', '/opt/a/b'],
    ["OSError: [Errno 30] Read-only file system: '/data/out/x.pt'", '/data/out/x.pt'],
    ["EROFS: read-only file system, open '/srv/x/y'", '/srv/x/y'],
    ['/usr/bin/bash: line 1: /opt/planted: Read-only file system', '/opt/planted'],
    ["cp: cannot create regular file '/opt/x': Read-only file system", '/opt/x'],
  ];
  for (const [line, path] of refused)
    it(`names the path and the folder to grant: ${line}`, () => {
      const note = confinementNote(confinement, 'gpu1', `loss=1\n${line}\nmore`);
      const folder = path.slice(0, path.lastIndexOf('/'));
      assert.equal(
        note,
        `${path} could not be changed: commands on gpu1 are confined (bubblewrap, network on). Write below /w, or the user can grant ${folder} under confinement.writable of gpu1 in machines.json.`,
      );
    });

  it('names no cache, but folders that were uploaded and the setting of the working folder', () => {
    const line = "OSError: [Errno 30] Read-only file system: 'out'";
    const home = { ...confinement, isAtHome: true } as const;
    const user =
      ': the home folder of gpu1 is not granted, folders that you uploaded are. The user can set the working folder of gpu1 (workFolder in machines.json, or --work-folder) or grant more under confinement.writable.';
    for (const [writable, folder] of [
      [['/h/.cache/pypoetry'], 'a folder that you uploaded'],
      [['/h/.cache/pypoetry', '/data'], '/data'],
      [['/h/digits', '/h/.cache/pypoetry'], '/h/digits'],
    ] as const) {
      const note = confinementNote({ ...home, writable }, 'gpu1', line) ?? '';
      assert.ok(note.endsWith(` Write below ${folder}${user}`), note);
    }
    assert.match(
      confinementNote(
        { ...home, writable: ['/h/digits'] },
        'gpu1',
        "bwrap: Can't chdir to /tmp/h: No such file or directory",
      ) ?? '',
      /^Not started: commands on gpu1 .* so none starts in \/tmp\/h\. Write below \/h\/digits:/,
    );
  });

  it('names the tools for git where a command would change a folder of git', () => {
    const note = (line: string) => confinementNote(confinement, 'local', line);
    assert.equal(
      note(
        "fatal: Unable to create '/w/.git/worktrees/scaled-inputs/index.lock': Read-only file system",
      ),
      'This is the worktree of an experiment: exp_commit commits all changes in it, without git add.',
    );
    assert.match(
      note("OSError: [Errno 30] Read-only file system: '/w/.git/hooks/post-commit'") ?? '',
      /^Confined commands cannot change \/w\/\.git\/hooks\/post-commit\. .*exp_commit\.$/,
    );
    assert.match(note('sh: 1: cannot create .git/x: Read-only file system') ?? '', /\.git\/x\. To/);
  });

  it('says that a server of another command is not reached', () => {
    const hint = (
      command: string,
      exitCode: number,
      output = '',
      network: 'all' | 'none' = 'none',
    ) => ownNetworkNote({ ...confinement, network }, { command, output, exitCode });
    assert.match(hint('sleep 1; curl -s http://127.0.0.1:8899/x', 7) ?? '', /network of its own/);
    assert.match(
      hint('python a.py localhost', 1, 'ConnectionRefusedError: [Errno 111] Connection refused') ??
        '',
      /^Each/,
    );
    assert.equal(hint('curl -s http://127.0.0.1:8899/x', 7, '', 'all'), undefined);
    assert.equal(hint('curl -s https://a.org', 7), undefined);
    assert.equal(hint('grep -r 127.0.0.1 .', 1), undefined);
  });

  it('notes a missing network only where there is none, and nothing about other failures', () => {
    const output = 'curl: (6) Could not resolve host: pypi.org';
    assert.equal(confinementNote(confinement, 'gpu1', output), undefined);
    assert.match(
      confinementNote({ ...confinement, network: 'none' }, 'gpu1', output) ?? '',
      /without network.*confinement\.network of gpu1/,
    );
    const why = { ...confinement, network: 'none', offlineBecause: 'python3 is missing' } as const;
    assert.match(
      confinementNote(why, 'gpu1', output) ?? '',
      /without network, because python3 is missing\. /,
    );
    assert.match(
      confinementNote({ ...confinement, network: ['a.org'] }, 'gpu1', output) ?? '',
      /reach listed hosts only, .*HTTPS_PROXY/,
    );
    assert.equal(confinementNote(confinement, 'gpu1', 'ValueError: x'), undefined);
  });

  it('explains that /tmp is another one', () => {
    const output = "python: can't open file '/tmp/train.py': [Errno 2] No such file or directory";
    assert.equal(
      confinementNote(confinement, 'gpu1', output),
      'Commands on gpu1 are confined, with a /tmp of their own: /tmp/train.py is looked for there. Put files that other tools write or read into /w.',
    );
    const other = 'cat: /data/x: No such file or directory';
    assert.equal(confinementNote(confinement, 'gpu1', other), undefined);
  });

  it('is an option of a machine, with absolute folders', () => {
    const entry = { id: 'gpu1', kind: 'ssh', alias: 'gpu1' };
    const options = { required: true, network: 'none', writable: ['/data', '~/out'] };
    assert.deepEqual(checkedEntry({ ...entry, confinement: options })['confinement'], options);
    const network = ['pypi.org', '*.hf.co', 'nas.lan:5000', '10.0.0.7:80', '[fd00::1]:80'];
    const listed = checkedEntry({ ...entry, confinement: { network } });
    assert.deepEqual(listed['confinement'], { network });
    const hosts = ['https://a.org', 'a.org/x', 'a b', 'a.org:', '*', '*a.org', 'a\nb', '::1'];
    for (const host of hosts)
      assert.throws(
        () => checkedEntry({ ...entry, confinement: { network: [host] } }),
        /confinement\.network\.0: must be a host such as/,
        host,
      );
    for (const wrong of [{ writable: ['data'] }, { network: 'some' }, { writeable: [] }])
      assert.throws(() => checkedEntry({ ...entry, confinement: wrong }), /confinement/);
  });

  const failures: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'no program',
      'helios: The command was not started, because it could not be confined: bubblewrap (bwrap) is not installed on this machine.\n',
      '',
      /^bubblewrap \(bwrap\) is not installed on this machine$/,
    ],
    [
      'AppArmor',
      'bwrap: setting up uid map: Permission denied\n',
      'apparmor\n',
      /^AppArmor lets no program/,
    ],
    [
      'no user namespaces',
      'bwrap: No permissions to create new namespace\n',
      'userns\n',
      /^user namespaces are turned off/,
    ],
    [
      'another reason',
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n",
      '',
      /^bubblewrap does not start \(<untrusted from="gpu1">Can't mount proc on .*permitted<.untrusted>\)$/,
    ],
  ];
  for (const [what, stderr, restriction, why] of failures)
    it(`says why bubblewrap does not start: ${what}`, async () => {
      const machine = scripted(({ command }) =>
        command.includes('bwrap') ? { stderr } : { stdout: restriction },
      );
      assert.match((await new ConfinementProbes().failure(machine)) ?? '', why);
    });

  it('knows a command that was not started from one that failed', () => {
    const why = (stderr: string, code = 1, stdout = ''): string | undefined =>
      startFailure({
        ...{ stdout, stderr, omittedBytes: { stdout: 0, stderr: 0 } },
        outcome: { kind: 'exited', code },
      });
    assert.equal(
      why("warning: locale\nbwrap: Can't chdir to /a: No such file or directory\n"),
      "Can't chdir to /a: No such file or directory",
    );
    const script = 'helios: The command was not started, because it could not be confined: ';
    assert.equal(why(`${script}/w/.git is a link.\n`, 126), '/w/.git is a link');
    assert.equal(why('bwrap: no\nTraceback: wrong\n'), undefined);
    assert.equal(why('bwrap: of the check\n', 1, 'it began\n'), undefined);
    assert.equal(why('bwrap: of the check\n', 0), undefined);
    assert.equal(why(`${script}no.\n`, 1), undefined);
  });

  it('starts once more if a hidden path has gone in between, and only then', async () => {
    const gone =
      "Can't mkdir parents for /w/world/.config/Code/1.9-main.sock: Read-only file system";
    const starts = async (line: string): Promise<readonly [number, string]> => {
      let count = 0;
      const machine = scripted(() => {
        count += 1;
        return count === 1 ? { code: 1, stderr: `bwrap: ${line}\n` } : { stdout: 'ran' };
      });
      const { stdout } = await confinedMachine(machine, confinement).exec('python3 check.py');
      return [count, stdout];
    };
    assert.deepEqual(await starts(gone), [2, 'ran']);
    assert.deepEqual(await starts("Can't create file at /w/a.sock: Permission denied"), [2, 'ran']);
    assert.deepEqual(await starts("Can't chdir to /a: No such file or directory"), [1, '']);
  });

  it('asks a machine until bubblewrap has started, for each kind of network', async () => {
    let asked = 0;
    let isThere = false;
    const machine = scripted(({ command }) => {
      if (!command.includes('bwrap')) return {};
      asked += 1;
      return isThere ? { stdout: /echo ([0-9a-f]+)/.exec(command)?.[1] ?? '' } : { stderr: 'no' };
    });
    const probes = new ConfinementProbes();
    assert.match(
      (await probes.failure(machine)) ?? '',
      /does not start \(<untrusted from="gpu1">no</,
    );
    isThere = true;
    for (const network of ['all', 'all', 'none', 'none', [], ['a.org']] as const)
      assert.equal(await probes.failure(machine, network), undefined);
    assert.equal(asked, 4);
  });
});

function scripted(answer: (asked: { command: string }) => Partial<ExecResult>): Machine {
  const exec = (command: string): Promise<ExecResult> =>
    Promise.resolve({
      ...{ stdout: '', stderr: '', omittedBytes: { stdout: 0, stderr: 0 } },
      outcome: { kind: 'exited', code: 1 },
      ...answer({ command }),
    });
  return {
    id: 'gpu1',
    kind: 'ssh',
    runsFolder: '/h/.helios/runs',
    exec,
  } as Partial<Machine> as Machine;
}
