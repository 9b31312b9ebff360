import { spawn } from 'node:child_process';
import { withoutSecrets } from '../../base/childEnvironment.ts';
import { thisSystem, type HostSystem } from '../../base/hostSystem.ts';
import { windowsProgram } from '../../base/windowsPrograms.ts';

/**
 * Opens the address in the browser. Resolves with false if the program that opens addresses could
 * not be started.
 */
export function openBrowser(address: string, system = thisSystem()): Promise<boolean> {
  const [command, ...args] = openerOn(system);
  return new Promise((resolve) => {
    const child = spawn(command, [...args, address], {
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
 * Returns the program that opens an address without a shell. On Windows, `start` would need a shell,
 * which ends the address at `&`.
 */
function openerOn(system: HostSystem): readonly [string, ...string[]] {
  if (system.platform === 'win32')
    return [windowsProgram(system, 'rundll32.exe'), 'url.dll,FileProtocolHandler'];
  return [system.platform === 'darwin' ? 'open' : 'xdg-open'];
}
