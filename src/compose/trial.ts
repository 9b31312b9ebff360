/** Builds a test notification, and the text for its result. */
import type { Notification } from '../notify/notification.ts';
import type { TrialResult } from '../notify/notifier.ts';

export const trialNotification = (atMs: number): Notification => ({
  events: ['goal_met'],
  title: 'Test notification',
  body: 'If you read this, Helios can reach you here.',
  sessionId: 's-test',
  goal: '',
  atMs,
});

export const trialText = ({ problem }: TrialResult): string => problem ?? 'Delivered.';
