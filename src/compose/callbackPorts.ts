/** Ports on which a sign-in is answered. */
export { callbackPorts } from '../models/chatgpt/codexService.ts';
