import type { Message } from '../../../src/notify/notification.ts';

/** A notification on its way. */
export const message = (other: Partial<Message> = {}): Message => ({
  event: 'task_complete',
  events: ['task_complete'],
  title: 'Run 7: ok',
  body: 'lr=3e-4 <b>&',
  sessionId: 's-1',
  goal: 'loss < 1',
  machineId: 'gpu1',
  pid: 4521,
  run: 'run 7',
  metrics: { loss: 0.83, grad: NaN },
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5),
  ...other,
});
