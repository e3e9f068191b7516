#!/usr/bin/env node
import { existsSync } from 'node:fs';

// An image carries the compiled files alone; a clone compiles what has changed.
const builder = new URL('../build.js', import.meta.url);
if (existsSync(builder)) await (await import(builder.href)).buildIfStale();
await import('../dist/process.js');
