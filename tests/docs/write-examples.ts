import { readFileSync, writeFileSync } from 'node:fs';
import { specificationPath, withExamples } from './operation-examples.js';

writeFileSync(specificationPath, withExamples(readFileSync(specificationPath, 'utf8')));
