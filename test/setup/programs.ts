/** Programs of others that tests and `npm run check` drive. Run as a script, installs them all. */
import { installBubblewrap } from './bubblewrap.ts';
import { installChromium } from './chromium.ts';
import { installDocker } from './docker.ts';
import { installCodeServer } from './installCodeServer.ts';
import { installOldTools } from './oldTools.ts';
import type { Failure } from './reporter.ts';
import { installShells } from './shells.ts';
import { installSlurm } from './slurm.ts';
import { installSshd } from './sshd.ts';

/** Rows beside each other: one asks the npm registry, the other the packages of the system. */
const installers = [
  [installCodeServer],
  [
    installChromium,
    installSshd,
    installShells,
    installSlurm,
    installDocker,
    installBubblewrap,
    installOldTools,
  ],
];

/** Resolves with what could not be installed, each with its reason. */
export async function installPrograms(log: (text: string) => void): Promise<Failure[]> {
  const failures: Failure[] = [];
  const installRow = async (row: (typeof installers)[number]): Promise<void> => {
    for (const install of row) {
      try {
        log(`using ${await install()}`);
      } catch (error) {
        console.error(error);
        failures.push({
          test: install.name,
          why: error instanceof Error ? error.message : String(error),
        });
      }
    }
  };
  await Promise.all(installers.map(installRow));
  return failures;
}

if (import.meta.main) await installPrograms((text) => console.log(text));
