/**
 * Run as a process of its own, which can be ended when a text takes too long: formats the texts that
 * standard input holds as a JSON array, and prints the length of each result.
 */
import { text } from 'node:stream/consumers';
import { parseHTML } from 'linkedom';
import { markdown } from '../../webview/session/markdown.ts';

globalThis.document = parseHTML('<!doctype html>').document;
const inputs = JSON.parse(await text(process.stdin)) as readonly string[];
for (const input of inputs) console.log((markdown(input).textContent ?? '').length);
