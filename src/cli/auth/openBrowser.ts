import { spawn } from 'node:child_process';
import { withoutSecrets } from '../../base/childEnvironment.ts';
import { currentPlatform } from '../../base/platform.ts';

/**
 * Opens the address in the browser. Resolves with false if the program that opens addresses could
 * not be started.
 */
export function openBrowser(address: string): Promise<boolean> {
  const [command, ...args] = openers[currentPlatform()] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command ?? '', [...args, address], {
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
      env: withoutSecrets(process.env),
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/**
 * Programs that open an address without a shell. On Windows, `start` would need a shell, which ends
 * the address at `&`.
 */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
