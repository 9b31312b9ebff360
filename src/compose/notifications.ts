/** Secrets and urgency of notifications. */
export { isUrgent } from '../notify/notification.ts';
export { notifySecret, secretNamePattern, secretsNamedIn } from '../notify/secretText.ts';
