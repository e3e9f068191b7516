import type { FinalAnswers } from '../../../application/ports/gateway/final-answers.js';

/** Cache of final answers in memory. Keeps the first answer to a question, as the stores do; `finds` lists lookups. */
export const memoryAnswers = () => {
  const kept = new Map<string, Uint8Array>();
  const finds: string[] = [];
  const answers: FinalAnswers = {
    find: async (chain, questions) => {
      finds.push(...questions.filter((question) => question !== ''));
      return questions.map((question) => kept.get(`${chain} ${question}`) ?? null);
    },
    keep: async (chain, given) => {
      for (const { question, result } of given)
        if (!kept.has(`${chain} ${question}`)) kept.set(`${chain} ${question}`, result);
    },
    close: async () => undefined,
  };
  return { kept, finds, answers };
};
