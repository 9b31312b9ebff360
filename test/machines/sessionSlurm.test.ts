import { sessionOn } from './sessionOn.ts';

sessionOn({ kind: 'slurm', entry: { id: 'hpc', kind: 'slurm', alias: 'login' } });
