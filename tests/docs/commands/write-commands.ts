import { readFileSync, writeFileSync } from 'node:fs';
import { commandsPath, withCommands } from './commands-page.js';

writeFileSync(commandsPath, withCommands(readFileSync(commandsPath, 'utf8')));
