import { createExpiringMap } from '@latchkey/core/unstable'

/** Returns the answer about a key: one that is kept, or what `ask` returns. `now` is in seconds since 1970. */
export type AnswerCache<Answer> = (
  key: string,
  now: number,
  ask: () => Promise<Answer>,
) => Promise<Answer>

/** Seconds that an answer is kept. */
const LIFETIME = 60
/** Answers that are kept; the oldest are forgotten first. */
const MAX_ANSWERS = 10_000

/** Creates a cache of answers in this process. An error is not an answer: the next caller asks again. */
export function createAnswerCache<Answer>(): AnswerCache<Answer> {
  const kept = createExpiringMap<{ readonly answer: Answer }>(MAX_ANSWERS)
  return async (key, now, ask) => {
    const found = kept.get(key, now)
    if (found) return found.answer
    const answer = await ask()
    kept.set(key, { answer }, now + LIFETIME, now)
    return answer
  }
}
