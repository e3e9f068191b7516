import { answerOverhead, type FinalAnswers, isCacheable } from '../../../application/ports/gateway/final-answers.js';
import { answerId } from '../../answer-id.js';
import { unavailable } from '../../unavailable.js';
import { startThread } from '../thread.js';
import type { AnswersJob, FoundAnswers } from './answers-thread.js';

/** Creates a cache of final answers in a file, shared by the processes on a data directory. Uses a worker thread. */
export const sqliteFinalAnswers = async (path: string, maxBytes: number): Promise<FinalAnswers> => {
  const thread = await startThread<AnswersJob, FoundAnswers>('answers-thread', { path, maxBytes });
  const run = (job: AnswersJob) => thread.run(job).catch(unavailable('Cache of final answers'));
  return {
    find: (chain, questions) => run({ kind: 'find', ids: questions.map((question) => answerId(chain, question)) }),
    keep: async (chain, answers) => {
      const kept = answers.filter((one) => isCacheable(maxBytes, one));
      const rows = kept.map(({ question, result }) => ({
        id: answerId(chain, question),
        result,
        size: result.length + answerOverhead,
      }));
      if (rows.length > 0) await run({ kind: 'keep', answers: rows });
    },
    close: () => thread.close(),
  };
};
