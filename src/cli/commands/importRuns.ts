import type { Engine } from '../../agent/contract/engine.ts';
import type { SessionId } from '../../base/ids.ts';
import type { CliCommand } from '../command.ts';
import { withEngine } from '../commandEngine.ts';
import { idleSession, namedSession, sessionWords } from '../sessionReference.ts';
import { singleLine } from '../screen/terminalText.ts';
import { exitCodes } from '../cliDeps.ts';

interface ImportRunsOptions {
  readonly machine: string;
  readonly session?: string;
}

const examples = `
  helios import runs results.tsv
  helios import runs wandb mlruns --session 1
  helios import runs /data/runs --machine gpu1 --session 1`;

export const declareImportRuns = (parent: CliCommand): CliCommand =>
  parent
    .command('runs')
    .summary('show results that were made outside Helios, or import them into a session')
    .description(
      'Reads CSV, JSON lines, TensorBoard, W&B, MLflow, Trackio, and ledgers such as results.tsv. Changes none of the ' +
        'files. Imported results are shown and compared as measured outside Helios, and are no evidence.',
    )
    .argument('<paths...>', 'files and folders on the machine')
    .option('-m, --machine <id>', 'machine of the files', 'local')
    .option('-s, --session <session>', `import them into this session: ${sessionWords}`)
    .addHelpText('after', examples)
    .runs((context, paths: readonly string[], { machine: id, session }: ImportRunsOptions) =>
      withEngine(context, async (engine) => {
        const { importPreview, machinePath } = await import('../../compose/importFiles.ts');
        const { stdout } = context.deps;
        const write = (line: string): void => void stdout.write(`${singleLine(line)}\n`);
        const machine = engine.machines.get(id);
        const into =
          session === undefined ? undefined : (await namedSession(engine.sessions, session)).id;
        for (const path of paths) {
          const absolute = await machinePath(machine, path);
          if (into !== undefined)
            write(await importInto(engine, into, { machineId: id, path: absolute }));
          else (await importPreview(machine, absolute)).forEach(write);
        }
        if (into === undefined) write('Nothing was imported. To import: --session SESSION');
        return exitCodes.goal;
      }),
    );

/** Imports the files. If another process works on the session, that process does the import. */
async function importInto(
  { sessions, requests }: Engine,
  id: SessionId,
  place: { readonly machineId: string; readonly path: string },
): Promise<string> {
  if ((await sessions.owner(id)) !== undefined)
    return requests.send(id, { kind: 'import', ...place });
  const open = sessions.open().find((session) => session.id === id);
  const session = open ?? (await idleSession(sessions, id));
  return session.importFiles(place.machineId, place.path);
}
