import { expect } from 'vitest'
import { getRedirect, getUser, signInWith } from './service.ts'
import type { TestService } from './service.ts'

/** Signs in with a fresh browser; returns the id of the session's user, or the error. */
export async function getId(
  { browse }: TestService<unknown>,
  id: string,
  subject: string,
): Promise<string | null> {
  const browser = browse()
  const response =
    id === 'credentials'
      ? await browser.submit('/signin/credentials', { name: subject })
      : await signInWith(browser, id, subject)
  const { error } = getRedirect(response)
  if (error !== null) {
    expect(await browser.json('/session')).toEqual({})
    return error
  }
  return (await getUser(browser)).id
}
