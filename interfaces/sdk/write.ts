import { writeFileSync } from 'node:fs';
import { generatedFiles } from './files.js';

for (const [path, text] of Object.entries(generatedFiles())) writeFileSync(path, text);
