import assert from 'node:assert/strict';
import { join, win32 } from 'node:path';
import { describe, it } from 'mocha';
import { defaultAgents, socketsOf } from '../../../../src/machines/ssh/agents.ts';
import { hostAliases, type ConfigPlace } from '../../../../src/machines/ssh/configFile.ts';
import { expandHome } from '../../../../src/machines/ssh/configPaths.ts';
import { ProxyStream } from '../../../../src/machines/ssh/proxyCommand.ts';
import { SshAuth } from '../../../../src/machines/ssh/sshAuth.ts';
import { resolveHost } from '../../../../src/machines/ssh/sshConfig.ts';
import { loadSsh } from '../../../../src/machines/ssh/sshLibrary.ts';
import { scratchFolder } from '../../../fakes/scratch.ts';
import { until } from '../../../fakes/testEngine.ts';
import { FakeWindows } from '../../../fakes/windowsPrograms.ts';

const home = 'C:\\Users\\Ada Byron';

/** An ssh configuration on Windows, with files below other folders. */
function place(texts: Readonly<Record<string, string>>): ConfigPlace {
  return {
    configFile: `${home}\\.ssh\\config`,
    homeFolder: home,
    localUser: 'ada',
    env: { PROGRAMDATA: 'C:\\ProgramData' },
    files: {
      readText: (path) => {
        const text = texts[path];
        return text === undefined
          ? Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }))
          : Promise.resolve(text);
      },
      names: (folder) =>
        Promise.resolve(
          Object.keys(texts)
            .filter((path) => win32.dirname(path) === folder)
            .map((path) => win32.basename(path)),
        ),
    },
  };
}

describe('the ssh configuration on Windows', () => {
  for (const [include, file] of [
    ['conf.d/*.conf', `${home}\\.ssh\\conf.d\\a.conf`],
    ['conf.d\\*.conf', `${home}\\.ssh\\conf.d\\a.conf`],
    ['~/.ssh/lab', `${home}\\.ssh\\lab`],
    ['~\\.ssh\\lab', `${home}\\.ssh\\lab`],
    ['D:\\keys\\l?b', 'D:\\keys\\lab'],
    ['D:/keys/lab', 'D:\\keys\\lab'],
    ['/keys/lab', 'C:\\keys\\lab'],
    ['\\\\nas\\share\\lab', '\\\\nas\\share\\lab'],
    ['"%d\\.ssh\\%u"', `${home}\\.ssh\\ada`],
    ['${PROGRAMDATA}/ssh/lab', 'C:\\ProgramData\\ssh\\lab'],
  ] as const)
    it(`includes ${include}`, async () => {
      const config = `${home}\\.ssh\\config`;
      const texts = { [config]: `Include ${include}\r\nHost own\r\n`, [file]: 'Host lab\r\n' };
      assert.deepEqual(await hostAliases(place(texts)), ['lab', 'own']);
    });

  it('names keys and known hosts below the home folder', async () => {
    const text = 'Host lab\n IdentityFile ~\\.ssh\\lab_%u\n IdentityFile D:\\keys\\%n\n';
    const options = { ...place({ [`${home}\\.ssh\\config`]: text }), agents: [] };
    const target = await resolveHost(
      { host: 'lab' },
      { ...options, localUser: 'ada', sshProgram: null },
    );
    assert.deepEqual(target.identityFiles, [`${home}\\.ssh\\lab_ada`, 'D:\\keys\\lab']);
    assert.equal(target.knownHostsFiles[0], `${home}\\.ssh\\known_hosts`);
  });

  it('lets no name that cmd.exe would expand into a ProxyCommand', async () => {
    const text = 'Host lab\n User %PATH%\n ProxyCommand nc %h 22\n';
    const options = { ...place({ [`${home}\\.ssh\\config`]: text }), agents: [] };
    await assert.rejects(
      resolveHost({ host: 'lab' }, { ...options, localUser: 'ada', sshProgram: null }),
      /not allowed in a ProxyCommand/,
    );
  });

  it('leaves backslashes of other systems alone', () => {
    assert.equal(expandHome('~\\x', '/home/ada'), '~\\x');
    assert.equal(expandHome('~/x', '/home/ada'), '/home/ada/x');
    assert.equal(expandHome('~', home), home);
  });
});

describe('ssh agents', () => {
  const openssh = '\\\\.\\pipe\\openssh-ssh-agent';

  it('are that of SSH_AUTH_SOCK, otherwise those of Windows', () => {
    assert.deepEqual(defaultAgents({ platform: 'win32', env: {} }), [openssh, 'pageant']);
    assert.deepEqual(defaultAgents({ platform: 'win32', env: { Ssh_Auth_Sock: 'a' } }), ['a']);
    assert.deepEqual(defaultAgents({ platform: 'linux', env: { SSH_AUTH_SOCK: '/a' } }), ['/a']);
    assert.deepEqual(defaultAgents({ platform: 'linux', env: { SSH_AUTH_SOCK: '' } }), []);
  });

  it('are found by the names of their pipes', async () => {
    const pipes = ['InitShutdown', 'pageant.ada.0f3c', 'openssh-ssh-agent', 'not.pageant.x'];
    const list = (folder: string) => {
      assert.equal(folder, '\\\\.\\pipe\\');
      return Promise.resolve(pipes);
    };
    assert.deepEqual(await socketsOf('pageant', list), ['\\\\.\\pipe\\pageant.ada.0f3c']);
    assert.deepEqual(await socketsOf('pageant', () => Promise.reject(new Error('none'))), []);
    for (const form of ['//./pipe/openssh-ssh-agent', '\\.\\pipe\\openssh-ssh-agent', openssh])
      assert.deepEqual(await socketsOf(form), [openssh]);
    assert.deepEqual(await socketsOf('/run/agent'), ['/run/agent']);
  });

  const resolved = async (setting: string, env: NodeJS.ProcessEnv = {}) => {
    const text = `Host lab\n User ada\n IdentityAgent ${setting}\n`;
    const files = { ...place({}).files, readText: () => Promise.resolve(text) };
    const options = { configFile: '/c', homeFolder: '/home/ada', localUser: 'ada', env };
    const agents = ['/own'];
    const all = {
      ...options,
      agents,
      sshProgram: null,
      files: { ...files, names: async () => [] },
    };
    return (await resolveHost({ host: 'lab' }, all)).agents;
  };

  it('are named by IdentityAgent', async () => {
    assert.deepEqual(await resolved('~/.1password/agent.sock'), [
      '/home/ada/.1password/agent.sock',
    ]);
    assert.deepEqual(await resolved('%d/agent-%n'), ['/home/ada/agent-lab']);
    assert.deepEqual(await resolved('${RUN}/agent', { RUN: '/run' }), ['/run/agent']);
    assert.deepEqual(await resolved('$LAB_AGENT', { LAB_AGENT: '/lab' }), ['/lab']);
    assert.deepEqual(await resolved('$LAB_AGENT'), []);
    assert.deepEqual(await resolved('SSH_AUTH_SOCK'), ['/own']);
    assert.deepEqual(await resolved('none'), []);
    assert.deepEqual(await resolved('pageant'), ['pageant']);
  });

  const folder = scratchFolder();

  it('are asked in order, and given to ssh2 by their sockets', async () => {
    const sockets = [join(folder(), 'one'), join(folder(), 'two')];
    const target = { host: 'h', port: 22, user: 'ada', identityFiles: [], proxyJump: [] };
    const auth = new SshAuth({ ...target, knownHostsFiles: [], agents: sockets }, () =>
      Promise.resolve(undefined),
    );
    const handler = auth.handler(await loadSsh());
    const next = () =>
      new Promise<unknown>((resolve) => handler(['publickey'], false, resolve as never));
    assert.deepEqual(await next(), { type: 'none', username: 'ada' });
    for (const agent of sockets)
      assert.deepEqual(await next(), { type: 'agent', username: 'ada', agent });
    assert.equal(await next(), false);
    assert.equal(auth.rejected(), 'agent');
  });
});

describe('a ProxyCommand on Windows', () => {
  const folder = scratchFolder();

  it('runs in cmd.exe, which gets the line as it is, and ends with its children', async () => {
    const windows = new FakeWindows(folder());
    windows.program('cmd.exe', 'echo hello; exec sleep 600');
    windows.program('taskkill.exe', 'kill -9 "$2"');
    const stream = new ProxyStream('"C:\\ssh\\nc.exe" lab 22', windows.system());
    const said = new Promise((resolve) => stream.once('data', resolve));
    assert.equal(String(await said), 'hello\n');
    assert.deepEqual(windows.calls('cmd.exe'), [['/d', '/s', '/c', '""C:\\ssh\\nc.exe" lab 22"']]);
    stream.destroy();
    await until(() => windows.calls('taskkill.exe').length > 0);
    assert.deepEqual(windows.calls('taskkill.exe')[0]?.slice(2), ['/t', '/f']);
  });
});
