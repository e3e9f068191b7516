const { Module } = require('node:module');

/** Preloaded, this has a process find no package of the development EVM, as on platforms for which there is none. */
const load = Module._load;
Module._load = (name, ...rest) => {
  if (name.startsWith('@nomicfoundation/')) throw new Error(`Cannot find module '${name}'`);
  return load(name, ...rest);
};
