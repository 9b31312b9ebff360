/** Runs one benchmark, named on the command line, and sends its figures to the process that forked this one. */
import { benchmarks } from './benchmarks.ts';

const name = process.argv[2] ?? '';
const bench = benchmarks[name];
if (bench === undefined || process.send === undefined) throw new Error(`main.ts calls this with a benchmark: ${name}`);
process.send(await bench());
process.disconnect();
