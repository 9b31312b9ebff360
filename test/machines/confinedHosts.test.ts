/** What confined commands with a list of hosts reach, with the clients that users have. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join, resolve } from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import { systemClock } from '../../src/base/clock.ts';
import { newRunId } from '../../src/base/ids.ts';
import { confinedMachine } from '../../src/machines/confinement/confinedMachine.ts';
import { createMachines } from '../../src/machines/list/machineList.ts';
import type { ExecResult } from '../../src/machines/machine.ts';
import type { RunSpec } from '../../src/runs/run.ts';
import { Runs } from '../../src/runs/runs.ts';
import { confinedBed, isRoot, nobody, type ConfinedBed } from '../fakes/confinedBed.ts';
import { processesOf } from '../fakes/runProcesses.ts';
import { until } from '../fakes/scratch.ts';
import { ended } from '../unit/runs/harness.ts';

/** Writes a package. */
const wheel = `
import zipfile
with zipfile.ZipFile("tiny-1-py3-none-any.whl", "w") as file:
    file.writestr("tiny.py", "x = 7")
    file.writestr("tiny-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1\\n")
    file.writestr("tiny-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    file.writestr("tiny-1.dist-info/RECORD", "")
`;
const megabyte = Buffer.alloc(1 << 20, 'x');
const noProxy = Object.fromEntries(
  ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].map(
    (name) => [name, ''],
  ),
);

for (const user of isRoot ? [undefined, nobody] : [undefined])
  describe(`a confined command with a list of hosts${user === undefined ? '' : ' of another user'}`, function () {
    this.timeout(120_000);
    let bed: ConfinedBed;
    let server: Server;
    let allowed: string;
    let refused: string;
    let pending = 0;

    before(async () => {
      // 127.0.0.1 is the own network of a command; 127.0.0.2 and .3 stand for two hosts.
      server = createServer((request, response) => {
        const url = (request.url ?? '').split('?')[0] ?? '';
        response.setHeader('content-type', 'text/html');
        if (url === '/away') response.writeHead(302, { location: `http://${refused}/` }).end();
        else if (url === '/simple/') response.end('<a href="tiny/">tiny</a>');
        else if (url === '/simple/tiny/')
          response.end('<a href="/tiny-1-py3-none-any.whl">tiny-1-py3-none-any.whl</a>');
        else if (url === '/large') send(50);
        else if (url.startsWith('/together')) together();
        else if (url === '/never') pending += 1;
        else if (existsSync(join(bed.home, 'served', url)))
          response.end(readFileSync(join(bed.home, 'served', url)));
        else response.writeHead(url === '/' ? 200 : 404).end('answer\n');
        function send(left: number): void {
          if (left === 0) response.end();
          else response.write(megabyte, () => setImmediate(send, left - 1));
        }
        // Answers none of 50 requests before all of them are there.
        function together(): void {
          waiting.push(() => response.end('one\n'));
          if (waiting.length === 50) for (const answer of waiting.splice(0)) answer();
        }
      });
      const waiting: (() => void)[] = [];
      server.listen(0, '0.0.0.0');
      await once(server, 'listening');
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      allowed = `127.0.0.2:${port}`;
      refused = `127.0.0.3:${port}`;
    });
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    beforeEach(() => {
      bed = confinedBed(user);
    });
    afterEach(async () => {
      bed.dispose();
      await until('no proxy is left', () => proxies() === 0);
    });

    const mark = `mark-${process.pid}`;
    const confinement = () => ({
      ...bed.confinement,
      network: [allowed, mark],
      listedIn: 'the list of the test',
    });
    const proxies = (): number =>
      readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(mark))
        .length;
    const run = (
      command: string,
      env: Readonly<Record<string, string>> = {},
    ): Promise<ExecResult> =>
      confinedMachine(bed.machine(), confinement()).exec(command, {
        timeoutMs: 90_000,
        env: { ...noProxy, ALLOWED: allowed, REFUSED: refused, ...env },
      });
    const [allowedHost, refusedHost] = ['127.0.0.2', '127.0.0.3'];

    it('reaches listed hosts with curl, wget and python, and others with none of them', async () => {
      const clients = [
        'curl -sSf',
        'wget -q -O -',
        `python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode(), end="")'`,
      ];
      for (const client of clients) {
        const { stdout, stderr, contacts } = await run(
          `${client} http://$ALLOWED/; ${client} http://$REFUSED/ || echo no`,
        );
        assert.equal(stdout, 'answer\nno\n', stderr);
        assert.deepEqual(
          contacts?.map((contact) => [contact.host, contact.refused]),
          [
            [allowedHost, undefined],
            [refusedHost, 'unlisted'],
          ],
        );
      }
      const { stdout } = await run('curl -s http://$REFUSED/');
      assert.match(
        stdout,
        /^Helios: 127\.0\.0\.3:\d+ is not on the list .* Add it to the list of the test/,
      );
    });

    it('is not led to another host by a redirect, an address or a port', async () => {
      const urls = [
        'http://$ALLOWED/away',
        'http://169.254.169.254/latest/',
        'http://127.0.0.2:1/',
      ];
      for (const url of [...urls, 'http://[::ffff:127.0.0.2]/', 'http://2130706434/']) {
        const { stdout } = await run(`curl -sL --max-time 30 ${url}`);
        assert.match(stdout, /^Helios: \S+ is not on the list of hosts/, url);
      }
      const { stderr, contacts } = await run('curl -sS https://127.0.0.2:1/');
      assert.match(stderr, /403/);
      assert.equal(contacts?.[0]?.refused, 'unlisted');
    });

    it('cannot go past the proxy', async () => {
      const direct =
        'exec 3<>/dev/tcp/127.0.0.2/${ALLOWED#*:} && echo became; curl -s --noproxy "*" http://$ALLOWED/';
      const names = 'getent ahosts example.org && echo became; ls /run/systemd 2>/dev/null';
      const packet = `python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("8.8.8.8", 53)); print("became")'`;
      const leave =
        'unshare -n true && echo became; nsenter -t 1 -n true && echo became; ls -l /proc/self/fd | grep -E " (98|99) "';
      const { stdout } = await run([direct, names, packet, leave].join('\n'));
      assert.equal(stdout, '');
    });

    it('sees nothing of the program of its proxy in the list of processes', async () => {
      const { stdout } = await run(
        'cat /proc/[0-9]*/cmdline | tr "\\0" " "; env | grep HELIOS_PROXY',
      );
      assert.match(stdout, /bwrap/);
      assert.doesNotMatch(stdout, /sendmsg|HELIOS_PROXY=/);
      assert.ok(stdout.length < 12_000, `${stdout.length} characters`);
    });

    it('installs with pip and clones with git', async () => {
      const served = join(bed.home, 'served');
      mkdirSync(served, { recursive: true });
      execFileSync('python3', ['-c', wheel], { cwd: served });
      const git = (...argv: string[]) =>
        execFileSync('git', argv, { cwd: served, stdio: 'ignore', env: gitEnv });
      const gitEnv = { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a' };
      Object.assign(gitEnv, { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' });
      git('init', 'source');
      git('-C', 'source', 'commit', '--allow-empty', '-m', 'first');
      git('clone', '--bare', 'source', 'repo.git');
      git('-C', 'repo.git', 'update-server-info');
      // The Python of the tests has no pip.
      const base = `$(python3 -c 'import sys; print(sys._base_executable)')`;
      const pip = `${base} -m pip install -q --no-deps --target lib --trusted-host 127.0.0.2`;
      const { stdout, stderr } = await run(
        `git clone -q http://$ALLOWED/repo.git && git -C repo log --format=%s
         ${pip} --index-url http://$ALLOWED/simple/ tiny; PYTHONPATH=lib python3 -c 'import tiny; print(tiny.x)'
         git ls-remote http://$REFUSED/repo.git || echo no`,
        { PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
      );
      assert.equal(stdout, 'first\n7\nno\n', stderr);
    });

    it('has 50 connections at once, and reads 50 MB', async () => {
      const many = await run(
        'for i in $(seq 50); do curl -sS http://$ALLOWED/together$i & done; wait',
      );
      assert.equal(many.stdout, 'one\n'.repeat(50), many.stderr);
      const large = await run('curl -sS http://$ALLOWED/large | wc -c');
      assert.equal(large.stdout.trim(), String(50 << 20), large.stderr);
      assert.equal(many.contacts?.length, 1);
    });

    it('ends with its proxy when it is interrupted in the middle of a request', async () => {
      const before = pending;
      const stop = new AbortController();
      const ending = confinedMachine(bed.machine(), confinement()).exec(
        `setsid curl -s http://${allowed}/never & curl -s http://${allowed}/never`,
        { signal: stop.signal, env: noProxy },
      );
      await until('both ask', () => pending === before + 2);
      assert.equal(proxies() > 0, true);
      stop.abort();
      assert.deepEqual((await ending).outcome, { kind: 'aborted' });
    });

    it('runs no program outside that an earlier command put into PATH', async () => {
      const bin = join(bed.work, 'bin');
      const env = { PATH: `${bin}:${process.env['PATH']}` };
      const programs = ['python3', 'bwrap', 'id', 'readlink', 'sort', 'uname'];
      await run(
        `mkdir bin; for p in ${programs.join(' ')}; do printf '#!/bin/sh\\necho ran >>${bed.home}/planted\\nexit 1\\n' >bin/$p; chmod 755 bin/$p; done`,
      );
      assert.equal((await run('command -v id', env)).stdout, `${join(bin, 'id')}\n`);
      assert.ok(!existsSync(join(bed.home, 'planted')));
    });

    it('keeps the name of its machine, as one of its own addresses', async () => {
      const { stdout } = await run('cat /etc/hosts; uname -n');
      const [, name = ''] = / (\S+)\n::1/.exec(stdout) ?? [];
      assert.equal(stdout, `127.0.0.1 localhost ${name}\n::1 localhost\n${name}\n`);
    });

    it('gets signals and a language as other commands do', async () => {
      const env = { LANG: 'C', LC_ALL: '' };
      const { stdout } = await run('yes | head -1; echo ${PIPESTATUS[0]} "$LC_CTYPE"', env);
      assert.equal(stdout, 'y\n141 \n');
    });

    if (user === undefined)
      it('is a run that outlives Helios with its network, is adopted, and ends whole', async () => {
        const command = `while [ ! -e go ]; do sleep 0.05; done; curl -sS http://${allowed}/; curl -s http://${refused}/; touch asked; while [ ! -e end ]; do sleep 0.05; done`;
        const spec: RunSpec = {
          ...{ id: newRunId(Date.now()), sessionId: bed.confinement.sessionId, number: 1, command },
          ...{ machineId: 'local', cwd: bed.work, env: {}, metrics: {}, label: '' },
          ...{ plannedMs: Date.now(), confinement: confinement() },
        };
        const argv = [resolve('test/unit/runs/launcher.ts'), JSON.stringify(spec), bed.runsFolder];
        const child = spawn(process.execPath, argv, {
          env: { ...process.env, ...noProxy, HOME: bed.home },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await until(
          'its proxy works',
          () => proxies() > 0 && existsSync(join(bed.runsFolder, spec.id, 'process')),
        );
        child.kill('SIGKILL');
        await once(child, 'exit');
        const folder = join(bed.home, 'controller');
        mkdirSync(folder);
        const runs = new Runs({
          machines: createMachines([bed.machine()]),
          folder,
          clock: systemClock,
        });
        const adopted = await runs.adopt(spec);
        assert.equal(adopted?.liveness.kind, 'running');
        writeFileSync(join(bed.work, 'go'), '');
        await until('it has asked', () => existsSync(join(bed.work, 'asked')));
        const record = join(bed.runsFolder, spec.id, 'hosts.log');
        assert.match(
          readFileSync(record, 'utf8'),
          /^allowed\t127\.0\.0\.2\t\d+\n(?:closed.*\n)?refused\t127/,
        );
        writeFileSync(join(bed.work, 'end'), '');
        assert.deepEqual(await ended(adopted), { kind: 'ok' });
        assert.match(readFileSync(adopted.outputPath, 'utf8'), /^answer\nHelios: 127\.0\.0\.3/);
        await until('all its processes have ended', () => processesOf(spec.id).length === 0);
        runs.dispose();
      });

    if (user === undefined)
      it('saves its work over the network while it is being killed', async () => {
        const worker = `trap 'curl -s http://${allowed}/ >saved; exit' TERM; touch ready; while :; do sleep 0.1; done`;
        const folder = join(bed.home, 'controller');
        mkdirSync(folder);
        const machine = bed.machine();
        const runs = new Runs({ machines: createMachines([machine]), folder, clock: systemClock });
        const one = await runs.launch({
          ...{
            id: newRunId(Date.now()),
            sessionId: bed.confinement.sessionId,
            number: 1,
            command: worker,
          },
          ...{ machineId: 'local', cwd: bed.work, env: noProxy, metrics: {}, label: '' },
          ...{ plannedMs: Date.now(), confinement: confinement() },
        });
        await until('it works', () => existsSync(join(bed.work, 'ready')));
        const { isVerified, isEscalated } = await runs.kill(one, { graceMs: 30_000 });
        assert.deepEqual([isVerified, isEscalated], [true, false]);
        assert.equal(readFileSync(join(bed.work, 'saved'), 'utf8'), 'answer\n');
        runs.dispose();
      });
  });

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
