import { sessionOn } from './sessionOn.ts';

sessionOn({ kind: 'ssh', entry: { id: 'gpu1', kind: 'ssh', alias: 'login' } });
