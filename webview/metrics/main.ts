import 'vscode-jsonrpc/browser';
import { connect } from '../../src/protocol/connect.ts';
import { openHost } from '../shared/host.ts';
import { Panel } from './panel.ts';

const { port, states } = openHost();
const connection = connect(port);
const panel = new Panel(connection, states);
document.body.append(panel.root);
connection.listen();
void panel.load();
