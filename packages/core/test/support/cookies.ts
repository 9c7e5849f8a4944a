import { createCookieSpecs } from '../../src/http/cookies.ts'

/** The cookies of a service, with names of one character. */
export const cookieSpecs: ReturnType<typeof createCookieSpecs> = createCookieSpecs(
  {
    names: { csrf: 'c', session: 's', flow: 'f', return: 'r', ended: 'e', known: 'k', logout: 'l' },
  },
  true,
  { maxAge: 60, isRevocable: true },
)

/** Returns the names of the cookies that `Set-Cookie` lines delete. */
export function getDeleted(lines: readonly string[]): readonly string[] {
  const deletions = lines.filter((line) => line.includes('; Max-Age=0;'))
  return deletions.map((line) => line.replace(/=.*/, ''))
}
