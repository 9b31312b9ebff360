/** Stores secrets in files that only their owner can read. */
export { readSecretFile, secretStore } from '../storage/secretFiles.ts';
