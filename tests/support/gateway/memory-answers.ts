import type { FinalAnswers } from '../../../application/ports/gateway/final-answers.js';

/**
 * Creates an in-memory cache of final answers. As the real stores do, the cache keeps the first answer to a question.
 * `finds` lists the questions that were looked up.
 */
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
