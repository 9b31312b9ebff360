import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, it } from 'mocha';
import { runCli } from '../../../src/cli/cli.ts';
import type { Finding, Section } from '../../../src/cli/doctor/finding.ts';
import { placeFindings } from '../../../src/cli/doctor/place.ts';
import { placeWarnings } from '../../../src/base/placeWarnings.ts';
import { logoutFinding } from '../../../src/cli/doctor/logout.ts';
import type { ExecResult, Machine } from '../../../src/machines/machine.ts';
import { homeAt } from '../../../src/storage/home.ts';
import { SyntheticJournal } from '../../bench/syntheticJournal.ts';
import { fakeDeps, type FakeDeps } from '../../fakes/cliDeps.ts';
import { scratchFolder } from '../../fakes/scratch.ts';

describe('helios doctor', () => {
  const folder = scratchFolder();
  const write = (name: string, text: string, mode = 0o600): string => {
    const file = path.join(folder(), name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, text, { mode });
    chmodSync(file, mode);
    return file;
  };
  const key = { ANTHROPIC_API_KEY: 'sk-ant-0123456789' };
  const helios = async (
    env: Record<string, string> = key,
    ...argv: string[]
  ): Promise<FakeDeps & { code: number }> => {
    const deps = fakeDeps({ folder: folder(), env });
    return Object.assign(deps, { code: await runCli(['doctor', ...argv], deps) });
  };
  const findings = async (
    env: Record<string, string> = key,
  ): Promise<(Finding & { code: number })[]> => {
    const { code, stdout } = await helios(env, '--json');
    const sections = JSON.parse(stdout.text) as Section[];
    return sections.flatMap((section) => section.findings.map((finding) => ({ ...finding, code })));
  };

  it('finds nothing broken where a key is in the environment', async () => {
    const { code, stdout } = await helios();
    assert.equal(code, 0, stdout.text);
    assert.match(stdout.text, /✓ claude: ready, environment ANTHROPIC_API_KEY/);
    assert.match(stdout.text, /✓ local: /);
    assert.match(stdout.text, /Nothing is broken/);
    assert.doesNotMatch(stdout.text, /0123456789/);
  });

  it('says where commands can be confined, and why not', async () => {
    const about = async (PATH: string | undefined) => {
      const path = process.env['PATH'];
      process.env['PATH'] = PATH;
      try {
        return (await findings()).find(({ name }) => name === 'confinement local');
      } finally {
        process.env['PATH'] = path;
      }
    };
    const found = await about('/nowhere');
    assert.equal(found?.level, 'note');
    assert.match(found.text, /cannot be confined: bubblewrap \(bwrap\) is not installed/);
    const bin = path.dirname(
      write(
        'bin/bwrap',
        '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n',
        0o700,
      ),
    );
    assert.match((await about(`${bin}:${process.env['PATH']}`))?.text ?? '', /^bubblewrap starts$/);
    assert.match(
      (await about(bin))?.text ?? '',
      /have no network in the mode mandate: python3, which .* is not installed on this machine\./,
    );
  });

  it('names the place, what ends runs there and what removes the home folder, each once', async () => {
    const { code, stdout } = await helios({ ...key, CODESPACES: 'true' });
    assert.equal(code, 0);
    assert.match(
      stdout.text,
      /✓ place: a codespace\n  ! runs: GitHub suspends .*\n +Launch runs on/,
    );
    assert.equal(stdout.text.split('Rebuild Container removes').length, 2);
    assert.ok(stdout.text.includes(`removes ${path.join(folder(), 'home')}, with all sessions`));
    assert.match(stdout.text, /· awake: .* keeps no computer awake from here/);
    const wsl = placeFindings('wsl', placeWarnings('wsl', '/home/ada/.helios', false)).findings;
    assert.deepEqual(
      wsl.map(({ level, name }) => `${level} ${name}`),
      ['ok place', 'warning runs', 'note awake'],
    );
    assert.match(wsl[2]?.text ?? '', /keeps Windows awake/);
    assert.equal(placeFindings('computer', []).findings.length, 1);
  });

  it('fails where no model can be reached', async () => {
    const { code, stdout } = await helios({ PATH: '/nowhere', HOME: folder() });
    assert.equal(code, 1);
    assert.match(stdout.text, /× models: No model is available/);
  });

  it('knows a claude that is signed in, without any key', async () => {
    const claude = write('bin/claude', '#!/bin/sh\necho "2.1.0 (Claude Code)"\n', 0o700);
    write('home/preferences.json', JSON.stringify({ claudePath: claude }));
    const found = await findings({ CLAUDE_CODE_OAUTH_TOKEN: 'token-0123456789', HOME: folder() });
    const about = found.find(({ name }) => name === 'claude-cli');
    // What it says of itself depends on its version; that it was asked, and by its path, does not.
    assert.ok(
      about !== undefined && !/not installed|not found/i.test(about.text),
      JSON.stringify(about),
    );
  });

  const faults: [string, () => Promise<void> | void, Partial<Finding>][] = [
    [
      'a key that others can read',
      () => void write('home/auth/openai', 'sk', 0o644),
      { level: 'broken', name: 'keys' },
    ],
    [
      'preferences that are wrong',
      () => void write('home/preferences.json', '{'),
      { level: 'broken', name: 'preferences.json' },
    ],
    [
      'a project file that is wrong',
      () => void write('helios.json', '{"machine": 1'),
      { level: 'broken', name: 'helios.json' },
    ],
    [
      'a machine that does not answer',
      () =>
        void write(
          'home/machines.json',
          '{"machines":[{"id":"gpu1","kind":"ssh","host":"127.0.0.1","port":1}]}',
        ),
      { level: 'broken' },
    ],
    [
      'chat that is turned off',
      () => void write('.config/Code/User/settings.json', '{\n  "chat.disableAIFeatures": true\n}'),
      { level: 'warning', name: 'VS Code' },
    ],
    [
      'a journal that is damaged',
      async () => {
        const journal = new SyntheticJournal('goal');
        await journal.write(homeAt(path.join(folder(), 'home')));
        const file = homeAt(path.join(folder(), 'home')).journalFile(journal.sessionId);
        writeFileSync(file, `${journal.text}garbage\n`);
      },
      { level: 'warning', name: 'journal' },
    ],
    [
      'a session that nobody works on',
      () => new SyntheticJournal('goal').write(homeAt(path.join(folder(), 'home'))),
      { level: 'warning', name: 'session' },
    ],
  ];
  for (const [what, make, expected] of faults) {
    it(`tells of ${what}, and what to do`, async () => {
      await make();
      const found = await findings();
      const about = found.filter(
        ({ level, name }) => level === expected.level && (expected.name ?? name) === name,
      );
      assert.equal(about.length, 1, JSON.stringify(found, undefined, 1));
      assert.ok((about[0]?.action ?? about[0]?.text ?? '').length > 10);
      assert.equal(about[0]?.code, expected.level === 'broken' ? 1 : 0);
    });
  }

  describe('of a computer with systemd', () => {
    const before = process.env['PATH'];
    afterEach(() => (process.env['PATH'] = before));
    const logind = (manager: string, linger: string): void => {
      write(
        'bin/loginctl',
        `#!/bin/sh\ncase "$*" in\n*show-session*) printf '${manager}' ;;\n*show-user*) echo Linger=${linger} ;;\nesac\n`,
        0o700,
      );
      write('bin/id', '#!/bin/sh\necho ada\n', 0o700);
      process.env['PATH'] = `${path.join(folder(), 'bin')}:${before}`;
    };
    const about = async (): Promise<readonly (string | undefined)[]> =>
      (await findings())
        .filter(({ name }) => name === 'logout')
        .flatMap(({ level, action }) => [level, action]);

    it('says that logging out ends what is left to itself, and how it stays', async () => {
      logind('KillUserProcesses=yes\\nKillOnlyUsers=\\nKillExcludeUsers=root\\n', 'no');
      const [level, action] = await about();
      assert.equal(level, 'warning');
      assert.match(
        action ?? '',
        /^run loginctl enable-linger ada once; then .*systemd-run --user --scope helios/,
      );
    });

    it('only notes it where the user may stay', async () => {
      logind('KillUserProcesses=yes\\nKillOnlyUsers=bob ada\\n', 'yes');
      const [level, action] = await about();
      assert.equal(level, 'note');
      assert.match(
        action ?? '',
        /^start helios or code in a scope of its own, for example: systemd-run/,
      );
    });

    for (const [what, manager] of [
      ['ends nothing', 'KillUserProcesses=no\\n'],
      ['leaves this person alone', 'KillUserProcesses=yes\\nKillExcludeUsers=root ada\\n'],
      ['ends what others do', 'KillUserProcesses=yes\\nKillOnlyUsers=bob\\n'],
      ['does not answer', ''],
    ] as const)
      it(`says nothing where it ${what}`, async () => {
        logind(manager, 'no');
        assert.deepEqual(await about(), []);
      });

    it('says of a host behind ssh that a broken connection ends its runs', async () => {
      const saying = (stdout: string): Pick<Machine, 'exec'> => ({
        exec: () =>
          Promise.resolve({
            outcome: { kind: 'exited', code: 0 },
            stdout,
            stderr: '',
          } as ExecResult),
      });
      const logind = saying('user=ada\nKillUserProcesses=yes\nLinger=yes\n');
      const found = await logoutFinding({ id: 'gpu1', kind: 'ssh', ...logind });
      assert.deepEqual([found?.level, found?.name], ['warning', 'gpu1']);
      assert.match(`${found?.text} ${found?.action}`, /connection breaks.*KillExcludeUsers=ada/);
      assert.equal(await logoutFinding({ id: 'box', kind: 'container', ...logind }), undefined);
      const silent = { exec: () => Promise.reject(new Error('gone')) };
      assert.equal(await logoutFinding({ id: 'gpu1', kind: 'ssh', ...silent }), undefined);
    });
  });
});
