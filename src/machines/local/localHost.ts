/** This computer as the host of a `StandingShell`. */
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import type { CommandChannel, CommandHost } from '../remote/commandHost.ts';

/**
 * Runs commands on this computer. The commands end when this process ends, because their input is
 * then closed. They do not keep this process alive.
 */
export const localHost = (env: Readonly<Record<string, string>>): CommandHost => ({
  name: 'this computer',
  retryAfterMs: 0,
  exec(line, _options, listen) {
    const child = spawn('/bin/sh', ['-c', line], {
      cwd: '/',
      env,
      stdio: 'pipe',
      detached: true,
      windowsHide: true,
    });
    const pipes = [child.stdin, child.stdout, child.stderr];
    for (const pipe of pipes) (pipe as unknown as Socket).unref();
    child.unref();
    const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
    const close = (): void => {
      for (const pipe of pipes) pipe.destroy();
    };
    const channel: CommandChannel = Object.assign(stream, { stderr: child.stderr, close });
    child.once('exit', (code, signal) => channel.emit('exit', code, signal?.replace(/^SIG/, '')));
    child.once('error', () => channel.destroy());
    listen(channel);
    return Promise.resolve();
  },
});
