/** Secrets in files that only their owner reads. */
export { readSecretFile, secretStore } from '../storage/secretFiles.ts';
