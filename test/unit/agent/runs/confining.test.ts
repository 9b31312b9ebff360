import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { describe, it } from 'mocha';
import type { SessionId } from '../../../../src/base/ids.ts';
import { renderPrompt } from '../../../../src/agent/context/prompt.ts';
import { Confining } from '../../../../src/agent/runs/confining.ts';
import type { Confinement } from '../../../../src/machines/confinement/policy.ts';
import type { ConfinementFields, Machine } from '../../../../src/machines/machine.ts';
import type { PermissionMode } from '../../../../src/permissions/mode.ts';

const granted = { folders: ['/data'], hosts: ['pypi.org'], listedIn: 'hosts of a mandate' };
const why = 'python3 is not installed';

interface Circumstances {
  readonly mode?: PermissionMode;
  readonly entry?: ConfinementFields;
  readonly without?: 'python3' | 'bubblewrap';
  readonly workFolder?: string;
  readonly uploaded?: readonly string[];
}

function confiningIn({
  mode = 'mandate',
  entry,
  without,
  workFolder = '/w',
  uploaded = [],
}: Circumstances) {
  const machine = {
    ...{ id: 'gpu1', kind: 'ssh', workFolder, homeFolder: '/h' },
    path: posix,
    setup: () => Promise.resolve({ confinement: entry }),
  } as Partial<Machine> as Machine;
  const confining = new Confining({
    sessionId: 's-1' as SessionId,
    probes: {
      failure: (_machine, network) =>
        Promise.resolve(
          without === 'bubblewrap' || (without === 'python3' && typeof network === 'object')
            ? why
            : undefined,
        ),
    },
    use: () => 'auto',
    mode: () => mode,
    mandated: () => granted,
    uploaded: () => uploaded,
  });
  return { confining, machine };
}
function planned(circumstances: Circumstances): Promise<Confinement | undefined> {
  const { confining, machine } = confiningIn(circumstances);
  return confining.of(machine);
}

describe('the network of confined commands', () => {
  it('is that of the mandate in its mode, unless the entry of the machine says otherwise', async () => {
    const base = { writable: ['/w', '/data'], sessionId: 's-1' };
    const { listedIn, hosts } = granted;
    assert.deepEqual(await planned({}), { ...base, network: hosts, listedIn });
    for (const network of ['all', 'none'] as const)
      assert.deepEqual(await planned({ entry: { network } }), { ...base, network });
    assert.deepEqual(await planned({ entry: { network: ['a.org'] } }), {
      ...{ ...base, network: ['a.org'] },
      listedIn: 'confinement.network of gpu1 in machines.json',
    });
    const required = await planned({ mode: 'allow', entry: { required: true } });
    assert.deepEqual(required, { ...base, writable: ['/w'], network: 'all' });
  });

  it('is told to the model together with the folders that commands can write', async () => {
    const told = (circumstances: Circumstances) => {
      const { confining, machine } = confiningIn(circumstances);
      return confining.ruleOn(machine);
    };
    assert.equal(
      await told({}),
      'Commands and runs are confined: they write only below the working folder of their machine (where that is its home: only folders that you uploaded), /data, worktrees of the session, caches, /tmp, and see no keys. They reach only pypi.org.',
    );
    assert.match(
      (await told({ entry: { writable: ['~/.cache/pypoetry', '/out'] } })) ?? '',
      /only below the working folder of their machine \(.*\), \/out, \/data, worktrees/,
    );
    assert.doesNotMatch((await told({ entry: { writable: ['~/.cache/x'] } })) ?? '', /\.cache/);
    assert.match((await told({ entry: { network: 'none' } })) ?? '', /They reach no network\.$/);
    assert.match((await told({ entry: { network: 'all' } })) ?? '', /They reach the network\.$/);
    assert.equal(await told({ mode: 'allow' }), undefined);
    assert.equal(await told({ without: 'bubblewrap' }), undefined);
    const [system] = renderPrompt({
      sections: [],
      workFolder: '/w',
      machines: [],
      permissionMode: 'mandate',
      confinement: 'Commands and runs are confined.',
      stickies: new Map(),
    }).slice(-1);
    assert.match(system?.text ?? '', /^Commands and runs are confined\.$/m);
  });

  it('is none where the proxy cannot run, with the reason', async () => {
    const { confining, machine } = confiningIn({ without: 'python3' });
    const confinement = await confining.of(machine);
    assert.deepEqual([confinement?.network, confinement?.offlineBecause], ['none', why]);
    assert.equal((await confining.state(machine)).text, `bubblewrap, network off, because ${why}`);
  });

  it('is that of the machine where nothing is confined, or nothing is run', async () => {
    assert.equal(await planned({ without: 'bubblewrap' }), undefined);
    const entry = { required: true, network: ['a.org'] };
    await assert.rejects(planned({ without: 'bubblewrap', entry }), /must be confined/);
  });
});

describe('the folders that confined commands can write', () => {
  const uploaded = ['/h/digits', '/data/sub', '/h', '/', '/h/.config/x', '/h/a/.b', '/h/bin'];
  const more = ['/h/tools/bin', '/etc/profile.d', '/tmp', '/var/tmp/x', '/opt', '/home/ada'];

  it('are those that were uploaded, besides homes, hidden folders and those of programs', async () => {
    const circumstances = { workFolder: '/h', uploaded: [...uploaded, ...more, '/h/a\nb'] };
    const confinement = await planned(circumstances);
    assert.deepEqual(confinement?.writable, ['/h/digits', '/data/sub', '/data']);
    assert.equal(confinement.isAtHome, true);
    const { confining, machine } = confiningIn(circumstances);
    assert.match((await confining.state(machine)).text, /; of the home folder, only folders that/);
  });

  it('are the working folder first, unless it is the home folder or above it', async () => {
    const confinement = await planned({ uploaded: ['/h/digits'] });
    assert.deepEqual(confinement?.writable, ['/w', '/h/digits', '/data']);
    assert.equal(confinement.isAtHome, undefined);
    for (const workFolder of ['/h', '/'])
      assert.deepEqual((await planned({ workFolder }))?.writable, ['/data']);
  });
});
