import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { homeIdOf } from '../../../src/machines/container/containerSpec.ts';
import type { MachineEntry } from '../../../src/machines/machineEntry.ts';
import { machineLines } from '../../../src/vscode/machines/machineLines.ts';
import {
  hostKeyText,
  remoteAuthority,
  terminalCommand,
} from '../../../src/vscode/machines/machineLabels.ts';

const gpu1: MachineEntry = { id: 'gpu1', kind: 'ssh', host: 'gpu1.lab', user: 'ada', port: 2222 };
const place = {
  platform: 'linux' as NodeJS.Platform,
  homeFolder: '/home/me/.helios',
  engineOf: (engine = '//./pipe/docker_engine'): string => engine,
  expand: (path: string): string => path.replace('~', '/home/me'),
};

describe('machines in the words of other programs', () => {
  it('tells ssh where to go, and where to start', () => {
    assert.deepEqual(terminalCommand(gpu1, place), {
      program: 'ssh',
      arguments: ['-p', '2222', '--', 'ada@gpu1.lab'],
    });
    const more: MachineEntry = {
      id: 'a',
      kind: 'ssh',
      alias: 'lab',
      keyPath: '~/k',
      workFolder: "~/it's",
    };
    assert.deepEqual(terminalCommand(more, place)?.arguments, [
      '-i',
      '/home/me/k',
      '-t',
      '--',
      'lab',
      `cd ~/'it'\\''s'; exec "$SHELL" -l`,
    ]);
  });

  it('goes to the login host of a cluster, or stays here', () => {
    const cluster = { id: 'c', kind: 'slurm', alias: 'login', partition: 'gpu' } as const;
    assert.deepEqual(terminalCommand(cluster, place)?.arguments, ['--', 'login']);
    assert.equal(terminalCommand({ id: 'c', kind: 'slurm' }, place), undefined);
  });

  it('finds the container of a machine by its labels, on the engine of its entry', () => {
    const box = {
      id: 'box',
      kind: 'container',
      image: 'i',
      engine: '~/docker.sock',
      workFolder: '/my work',
    } as const;
    const { program, arguments: [flag, line = ''] = [] } = terminalCommand(box, place) ?? {};
    assert.deepEqual([program, flag], ['/bin/sh', '-c']);
    assert.match(
      line,
      /-H unix:\/\/\/home\/me\/docker\.sock ps -q -n 1 --filter label=helios\.machine=box /,
    );
    assert.ok(line.includes(`--filter label=helios.home=${homeIdOf('/home/me/.helios')}`));
    assert.match(line, /exec -it -w '\/my work' "\$container" sh/);
  });

  it('opens a container by PowerShell where there is no sh', () => {
    const box = { id: 'box', kind: 'container', image: 'i', workFolder: "/it's" } as const;
    const { program, arguments: [...words] = [] } =
      terminalCommand(box, { ...place, platform: 'win32' }) ?? {};
    const line = words.at(-1) ?? '';
    assert.deepEqual([program, words.slice(0, -1)], ['powershell.exe', ['-NoProfile', '-Command']]);
    assert.ok(line.includes(`& $docker -H 'npipe:////./pipe/docker_engine' ps -q -n 1 --filter`));
    assert.ok(line.includes(`exec -it -w '/it''s' $container sh -c '`));
    assert.ok(!line.includes('"'), 'which quoting of arguments under Windows would take apart');
  });

  it('asks about a host in plain words, in which nothing is a link', () => {
    const question = {
      machine: 'gpu1',
      host: '[::1]:22',
      keyType: 'ssh-ed25519',
      fingerprint: 'SHA256:abc',
    };
    assert.equal(
      hostKeyText(question),
      'gpu1: the host [::1]:22 is not known yet. Its ssh-ed25519 key is SHA256:abc. Is this the right host?',
    );
    const note = 'Also known as [lab](command:workbench.action.quit).\n\u001b[31mred';
    assert.match(
      hostKeyText({ ...question, note }),
      /abc\. Also known as \[lab\] \(command:.*\)\. red Is this/,
    );
  });

  it('names the host of a Remote-SSH window', () => {
    assert.equal(remoteAuthority(gpu1), 'ssh-remote+ada@gpu1.lab:2222');
    assert.equal(
      remoteAuthority({ id: 'a', kind: 'ssh', host: '::1', port: 22 }),
      'ssh-remote+[::1]:22',
    );
    assert.equal(remoteAuthority({ id: 'a', kind: 'ssh', alias: 'lab' }), 'ssh-remote+lab');
  });
});

describe('machines in the chat', () => {
  it('tells in two lines what goes on there, and what it is or why it does not answer', () => {
    const resources = { atMs: 0, cpuPercent: 12, gpus: [{ id: '0', utilisationPercent: 93 }] };
    const lines = machineLines([
      { id: 'local', kind: 'local', status: 'connected', description: 'this computer' },
      { id: 'gpu1', kind: 'ssh', status: 'connected', slots: 2, resources, description: '64 CPUs' },
      { id: 'gpu2', kind: 'ssh', status: 'unreachable', slots: 1, why: 'refused *twice*' },
      { id: 'box', kind: 'container', status: 'unused', place: 'lab/busybox' },
    ]).split('\n');
    assert.deepEqual(lines.slice(0, -2), [
      '- **local** connected  ',
      '  this computer',
      '- **gpu1** ssh · 2 slots · connected · GPU 93 % · CPU 12 %  ',
      '  64 CPUs',
      '- **gpu2** ssh · 1 slot · not reachable  ',
      '  refused \\*twice\\*',
      '- **box** container · not used yet  ',
      '  lab/busybox',
    ]);
  });
});
