import type { Browser } from '../browser.ts'
import { isUnfinished } from '../authenticate.ts'
import { submit, visit } from '../replies.ts'
import { listWays } from '../signed-in.ts'
import type { World } from '../world.ts'
import { openTab } from './provider.ts'

/**
 * Proves only the first factor of a user, as an attacker who has stolen it. Returns whether the service asks for the second one.
 * The request says nothing of who proves anything: no session may begin.
 */
export async function proveFirst(world: World, browser: Browser, userId: string): Promise<boolean> {
  const keys = world.keys.get(userId)
  if (!keys?.hasSecond || (browser.remembered.get(userId) ?? 0) > world.ports.now) return false
  const { person } = keys
  const ways = listWays(keys, userId)
  const provider = ways.find((way) => way === 'passport' || way === 'other')
  if (provider === 'passport' || provider === 'other') {
    const tab = await openTab(world, browser, { person, provider, purpose: 'signIn' })
    return tab !== undefined && isUnfinished(await visit(world, browser, { path: tab.callbackUrl }))
  }
  if (ways.includes('passwords') && person.password !== undefined) {
    const form = { email: person.email, password: person.password }
    return isUnfinished(await submit(world, browser, { path: '/signin/passwords', form }))
  }
  if (!ways.includes('members')) return false
  const form = { name: person.name, password: person.memberPassword }
  return isUnfinished(await submit(world, browser, { path: '/signin/members', form }))
}
