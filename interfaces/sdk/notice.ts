/** First line of every generated file. */
export const generatedNotice = 'Generated from the operation table by npm run sdk. Do not edit.';
