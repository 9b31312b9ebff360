/**
 * What the extension costs a window that opens: its bundles loaded and `activate` called, in a
 * fresh process each time.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median, timed, type Figure, type Size } from './figure.ts';
import { buildProduct, root } from './product.ts';

const roundsAt = { full: 7, tiny: 1 };
const run = promisify(execFile);

interface Activation {
  readonly loadMs: number;
  readonly activateMs: number;
  readonly emptyMs: number;
  readonly bytes: number;
}

export async function benchActivation(folder: string, size: Size): Promise<Figure[]> {
  const rounds = roundsAt[size];
  const product = await buildProduct();
  const bundle = join(product, 'extension.cjs');
  const activations: Activation[] = [];
  for (let round = 0; round < rounds; round++)
    activations.push(await activate(bundle, join(folder, 'home')));
  const of = (pick: (one: Activation) => number): number => median(activations.map(pick));
  return [
    {
      name: 'size of the bundles',
      value: of(({ bytes }) => bytes) / 1e6,
      unit: 'MB',
      aim: { atMost: 0.62, kind: 'correctness' },
    },
    {
      name: `bundle loaded and activated, p50 of ${rounds}`,
      value: of(({ loadMs, activateMs }) => loadMs + activateMs),
      unit: 'ms',
      aim: { atMost: 80 },
    },
    { name: 'of it, loading', value: of(({ loadMs }) => loadMs), unit: 'ms' },
    {
      name: 'of it, activate() on a stub of vscode',
      value: of(({ activateMs }) => activateMs),
      unit: 'ms',
    },
    {
      name: 'a process that does nothing, for comparison',
      value: of(({ emptyMs }) => emptyMs),
      unit: 'ms',
    },
  ];
}

async function activate(bundle: string, home: string): Promise<Activation> {
  const emptyMs = await timed(() => run(process.execPath, ['-e', '0']));
  const env = { ...process.env, HELIOS_HOME: home };
  const { stdout } = await run(
    process.execPath,
    [join(import.meta.dirname, 'activateOnce.ts'), bundle, root],
    {
      env,
    },
  );
  return { ...(JSON.parse(stdout) as Omit<Activation, 'emptyMs'>), emptyMs };
}
