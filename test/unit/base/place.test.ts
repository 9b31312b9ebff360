import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { placeOf, type Place, type PlaceSigns } from '../../../src/base/place.ts';
import { isMounted, placeWarnings } from '../../../src/base/placeWarnings.ts';

const nothing: PlaceSigns = {
  platform: 'linux',
  env: {},
  kernel: 'Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP',
  isInContainer: false,
};
const wslKernel = 'Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1)';

describe('the place in which Helios runs', () => {
  const cases: readonly [string, Place, Partial<PlaceSigns>][] = [
    ['a computer', 'computer', {}],
    ['a window on a host', 'ssh', { remoteName: 'ssh-remote' }],
    ['a terminal on a host', 'ssh', { env: { SSH_CONNECTION: '10.0.0.1 52 10.0.0.2 22' } }],
    ['a terminal of WSL', 'wsl', { env: { WSL_DISTRO_NAME: 'Ubuntu' } }],
    ['a window in WSL', 'wsl', { remoteName: 'wsl' }],
    ['a service of WSL without variables', 'wsl', { kernel: wslKernel }],
    [
      'Windows, started from WSL',
      'computer',
      { platform: 'win32', env: { WSL_DISTRO_NAME: 'Ubuntu' }, kernel: '' },
    ],
    ['a window in a dev container', 'dev-container', { remoteName: 'dev-container' }],
    ['a window attached to a container', 'dev-container', { remoteName: 'attached-container' }],
    ['a terminal of a dev container', 'dev-container', { env: { REMOTE_CONTAINERS: 'true' } }],
    [
      'a dev container on Docker Desktop, whose kernel is that of WSL',
      'dev-container',
      { env: { REMOTE_CONTAINERS_IPC: '/tmp/a.sock' }, isInContainer: true, kernel: wslKernel },
    ],
    ['another container', 'container', { isInContainer: true, kernel: wslKernel }],
    [
      'a codespace, which is a dev container, too',
      'codespaces',
      { env: { CODESPACES: 'true', REMOTE_CONTAINERS: 'true' }, isInContainer: true },
    ],
    ['a window of a codespace', 'codespaces', { remoteName: 'codespaces' }],
  ];
  for (const [what, place, signs] of cases)
    it(`is ${place} for ${what}`, () => assert.equal(placeOf({ ...nothing, ...signs }), place));
});

describe('warnings about the place', () => {
  const home = '/home/ada/.helios';
  const told = (place: Place, isHomeMounted = false): string[] =>
    placeWarnings(place, home, isHomeMounted).map(
      ({ about, text, action }) => `${about}: ${text} ${action}`,
    );

  it('say what ends runs, with the setting to change', () => {
    assert.match(
      told('wsl').join(),
      /^runs: WSL ends .* instanceIdleTimeout=-1 .* vmIdleTimeout=-1/,
    );
    assert.match(told('dev-container')[0] ?? '', /^runs: .*"shutdownAction": "none"/);
    assert.match(told('codespaces')[0] ?? '', /^runs: GitHub suspends .* SSH host/);
    for (const place of ['computer', 'ssh', 'container'] as const)
      assert.deepEqual(told(place), []);
  });

  it('say what removes the home folder, with the mount or the folder to choose', () => {
    assert.match(
      told('dev-container')[1] ?? '',
      /^home: Rebuild Container removes \/home\/ada\/\.helios.*target=\/home\/ada\/\.helios,type=volume/,
    );
    assert.match(told('codespaces')[1] ?? '', /^home: Rebuild .*helios\.home.*\/workspaces/);
  });

  it('do not speak of a home folder that is in a volume', () => {
    assert.equal(told('dev-container', true).length, 1);
    assert.equal(told('codespaces', true).length, 1);
    const mounts = [
      '980 800 0:60 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/a',
      '981 980 0:61 / /dev/shm rw - tmpfs shm rw',
      '982 980 8:1 /volumes/v1 /home/ada/.helios rw,relatime - ext4 /dev/sda1 rw',
      '983 980 8:1 /workspaces /workspaces rw,relatime shared:5 - ext4 /dev/sda1 rw',
      '984 980 8:1 /x /my\\040data rw - ext4 /dev/sda1 rw',
      '',
    ].join('\n');
    const mounted = ['/home/ada/.helios', '/workspaces/lm/.helios', '/my data/helios'];
    for (const folder of mounted) assert.ok(isMounted(folder, mounts), folder);
    for (const folder of ['/home/ada/.helios2', '/home/ada', '/dev/shm/helios', '/root/.helios'])
      assert.ok(!isMounted(folder, mounts), folder);
    assert.ok(!isMounted('/home/ada/.helios', ''));
  });
});
