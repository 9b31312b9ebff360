import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { askUser } from '../../../src/tools/session/askUser.ts';
import { ToolTable } from '../../../src/tools/toolTable.ts';

describe('ToolTable', () => {
  const tool = askUser({ ask: () => Promise.reject(new Error('not called')) });
  const tools = new ToolTable([tool]);

  it('finds a tool by its name, and by the name that an earlier version gave it', () => {
    assert.equal(tools.get('ask_user'), tool);
    assert.equal(tools.get('ask_person'), tool);
    assert.equal(tools.get('ask'), undefined);
  });

  it('lists a tool once, under its name', () => {
    assert.deepEqual([...tools.keys()], ['ask_user']);
  });
});
