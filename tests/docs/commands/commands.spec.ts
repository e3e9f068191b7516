import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { commandsPath, withCommands } from './commands-page.js';

describe('docs/cli.md', () => {
  it('lists every command with its options, and every exit code (npm run docs:commands)', () => {
    const page = readFileSync(commandsPath, 'utf8');
    assert.equal(page, withCommands(page));
  });
});
