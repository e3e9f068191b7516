/** Notice at the top of every generated source file, and in the description of the collection for Bruno. */
export const generatedNotice = 'Generated from the operation table by npm run sdk. Do not edit.';
