/** Ports for the callback of a sign-in. */
export { callbackPorts } from '../models/chatgpt/codexService.ts';
