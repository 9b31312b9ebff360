/**
 * Runs one benchmark, named on the command line with a folder for its files and its size, and sends
 * its figures, or why there are none, to the process that forked this one.
 */
import { benchmarks } from './benchmarks.ts';

const [name = '', folder = '', size = 'full'] = process.argv.slice(2);
const bench = benchmarks[name];
if (bench === undefined || process.send === undefined)
  throw new Error(`measure.ts calls this with a benchmark: ${name}`);
try {
  process.send(await bench(folder, size === 'tiny' ? 'tiny' : 'full'));
  process.disconnect();
} catch (error) {
  console.error(error);
  process.send({ broken: error instanceof Error ? error.message : String(error) }, () =>
    process.exit(1),
  );
}
