/** Runs one benchmark, named on the command line with a folder for its files, and sends its figures to the process that forked this one. */
import { benchmarks } from './benchmarks.ts';

const [name = '', folder = ''] = process.argv.slice(2);
const bench = benchmarks[name];
if (bench === undefined || process.send === undefined) throw new Error(`main.ts calls this with a benchmark: ${name}`);
process.send(await bench(folder));
process.disconnect();
