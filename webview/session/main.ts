import 'vscode-jsonrpc/browser';
import { connect } from '../../src/protocol/connect.ts';
import { openHost } from '../shared/host.ts';
import { SessionView } from './view.ts';

const { port, states } = openHost();
const connection = connect(port);
const view = new SessionView(connection, states);
document.body.append(view.root);
connection.listen();
void view.load();
