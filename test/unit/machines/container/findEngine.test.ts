import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { isHere } from '../../../../src/machines/container/engine.ts';
import { findEngine, type EngineSite } from '../../../../src/machines/container/findEngine.ts';

type Files = Readonly<Record<string, string>>;

/** A computer with these files, or sockets where the text is empty, and these pipes. */
function site(
  platform: NodeJS.Platform,
  files: Files,
  more: { readonly env?: EngineSite['env']; readonly pipes?: readonly string[] } = {},
): EngineSite {
  const { env = {}, pipes = [] } = more;
  const home = platform === 'win32' ? 'C:\\Users\\me' : '/home/me';
  const separator = platform === 'win32' ? '\\' : '/';
  const namesIn = (folder: string): string[] =>
    Object.keys(files)
      .filter((name) => name.startsWith(`${folder}${separator}`))
      .map((name) => name.slice(folder.length + 1).split(separator)[0] ?? '');
  return {
    ...{ platform, env, home },
    exists: (path) => Object.keys(files).some((name) => name.startsWith(path)),
    namesIn: (folder) => (folder === '\\\\.\\pipe\\' ? pipes : [...new Set(namesIn(folder))]),
    textOf: (path) => files[path],
  };
}

const context = (name: string, host: string): string =>
  JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker: { Host: host } } });

const withContext = (host: string, more: Files = {}): Files => ({
  '/home/me/.docker/config.json': JSON.stringify({ auths: {}, currentContext: 'lab' }),
  '/home/me/.docker/contexts/meta/1a/meta.json': context('other', 'unix:///other.sock'),
  '/home/me/.docker/contexts/meta/2b/meta.json': context('lab', host),
  ...more,
});

describe('the container engine of this computer', () => {
  const address = (...args: Parameters<typeof site>): string =>
    findEngine(undefined, site(...args)).address;

  it('is the one that is named', () => {
    const env = { DOCKER_HOST: 'tcp://box:1' };
    const all = { '/var/run/docker.sock': '' };
    assert.equal(findEngine('/own.sock', site('linux', all, { env })).address, '/own.sock');
    assert.equal(address('linux', all, { env }), 'tcp://box:1');
    assert.equal(address('linux', all, { env: { DOCKER_HOST: '' } }), '/var/run/docker.sock');
  });

  for (const platform of ['linux', 'darwin'] as const)
    it(`is at the usual socket, otherwise at the current context: ${platform}`, () => {
      const files = withContext('unix:///lab.sock', { '/home/me/.rd/docker.sock': '' });
      assert.equal(address(platform, files), 'unix:///lab.sock');
      assert.equal(
        address(platform, { ...files, '/var/run/docker.sock': '' }),
        '/var/run/docker.sock',
      );
      const env = { DOCKER_CONTEXT: 'other' };
      assert.equal(
        address(platform, { ...files, '/var/run/docker.sock': '' }, { env }),
        'unix:///other.sock',
      );
    });

  it('is in the folder that DOCKER_CONFIG names', () => {
    const files = {
      '/cfg/config.json': '{"currentContext":"lab"}',
      '/cfg/contexts/meta/x/meta.json': context('lab', 'unix:///lab.sock'),
    };
    assert.equal(address('linux', files, { env: { DOCKER_CONFIG: '/cfg' } }), 'unix:///lab.sock');
  });

  const sockets: readonly (readonly [NodeJS.Platform, string, EngineSite['env']?])[] = [
    ['darwin', '/home/me/.docker/run/docker.sock'],
    ['darwin', '/home/me/.colima/default/docker.sock'],
    ['darwin', '/cx/default/docker.sock', { COLIMA_HOME: '/cx' }],
    ['darwin', '/home/me/.orbstack/run/docker.sock'],
    ['darwin', '/home/me/.rd/docker.sock'],
    ['darwin', '/tmp/T/podman/podman-machine-default-api.sock', { TMPDIR: '/tmp/T/' }],
    ['darwin', '/home/me/.local/share/containers/podman/machine/podman.sock'],
    ['linux', '/home/me/.docker/desktop/docker.sock'],
    ['linux', '/run/user/1/docker.sock', { XDG_RUNTIME_DIR: '/run/user/1' }],
    ['linux', '/run/user/1/podman/podman.sock', { XDG_RUNTIME_DIR: '/run/user/1' }],
    ['linux', '/run/podman/podman.sock'],
  ];
  for (const [platform, socket, env = {}] of sockets)
    it(`is at ${socket}: ${platform}`, () => {
      assert.deepEqual(address(platform, { [socket]: '' }, { env }), socket);
    });

  it('is behind a pipe: win32', () => {
    assert.equal(address('win32', {}, { pipes: ['docker_engine'] }), '//./pipe/docker_engine');
    assert.equal(
      address('win32', {}, { pipes: ['x', 'podman-machine-default'] }),
      '//./pipe/podman-machine-default',
    );
    const files = {
      'C:\\Users\\me\\.docker\\config.json': '{"currentContext":"desktop-linux"}',
      'C:\\Users\\me\\.docker\\contexts\\meta\\fe\\meta.json': context(
        'desktop-linux',
        'npipe:////./pipe/dockerDesktopLinuxEngine',
      ),
    };
    assert.equal(address('win32', files), 'npipe:////./pipe/dockerDesktopLinuxEngine');
    for (const pipe of ['npipe:////./pipe/docker_engine', '//./pipe/docker_engine'])
      assert.ok(isHere(pipe));
  });

  it('names every place where it is not', () => {
    const none = findEngine(undefined, site('linux', {}));
    assert.deepEqual([none.isFound, none.address], [false, '/var/run/docker.sock']);
    assert.ok(none.tried.includes('/home/me/.colima/default/docker.sock'));
    assert.ok(none.tried.includes('/run/podman/podman.sock'));
    assert.equal(findEngine(undefined, site('win32', {})).tried.length, 3);
  });

  const useless: Record<string, Files> = {
    'which needs SSH or TLS': withContext('ssh://me@box'),
    'needs SSH or TLS': withContext('tcp://box:2376', {
      '/home/me/.docker/contexts/tls/2b/docker/ca.pem': '',
    }),
    'context lab, which does not exist': {
      '/home/me/.docker/config.json': '{"currentContext":"lab"}',
      '/home/me/.docker/contexts/meta/2b/meta.json': 'not JSON',
    },
  };
  for (const [what, files] of Object.entries(useless))
    it(`is not at a context that cannot be used: ${what}`, () => {
      const found = findEngine(
        undefined,
        site('linux', { ...files, '/run/podman/podman.sock': '' }),
      );
      assert.equal(found.address, '/run/podman/podman.sock');
      assert.ok(
        found.tried.some((place) => place.includes(what)),
        found.tried.join(),
      );
    });
});
