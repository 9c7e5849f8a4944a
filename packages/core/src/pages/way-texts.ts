import type { Messages, WayMessages } from '../ports/messages.ts'

/** Returns the texts about ways to sign in. */
export function getWayTexts({ ways = englishWays }: Messages): WayMessages {
  return ways
}

/** The English texts: they are here so that only applications that show or change ways bundle them. */
export const englishWays: WayMessages = {
  name: 'Name',
  ways: 'Ways to sign in',
  remove: 'Remove',
  added: 'Added on {name}',
  lastUsed: 'last used on {name}',
  isEmail: 'This is your email address. Change it to remove it.',
  lastWay: 'This is your only way to sign in. Add another one first.',
  lastFactor: 'A second step is required here. Add another one first.',
  invalidName: 'Enter a name of at most {name} characters.',
  gone: 'This does not exist any more. It may have been changed in another window.',
}
