/** Secrets in notifications, and whether a notification is urgent. */
export { isUrgent } from '../notify/notification.ts';
export { notifySecret, secretNamePattern, secretsNamedIn } from '../notify/secretText.ts';
