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
  const kept = new Map<string, { readonly answer: Answer; readonly expires: number }>()
  return async (key, now, ask) => {
    const found = kept.get(key)
    if (found && found.expires > now) return found.answer
    const answer = await ask()
    kept.delete(key)
    kept.set(key, { answer, expires: now + LIFETIME })
    for (const [oldest, { expires }] of kept) {
      if (kept.size <= MAX_ANSWERS && expires > now) break
      kept.delete(oldest)
    }
    return answer
  }
}
