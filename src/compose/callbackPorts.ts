/** Local ports to which the browser is redirected after a sign-in. */
export { callbackPorts } from '../models/chatgpt/codexService.ts';
