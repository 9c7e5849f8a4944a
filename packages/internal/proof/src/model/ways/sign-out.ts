import type { Browser } from '../browser.ts'
import type { Delivery } from '../messages.ts'
import { sendAs, toForm } from '../replies.ts'
import { end, observe, PREVIOUS } from '../sessions.ts'
import type { World } from '../world.ts'

/**
 * Signs out; returns whether that has ended a session.
 *
 * @throws Violation if the browser has a session afterwards
 */
export async function signOut(
  world: World,
  browser: Browser,
  delivered: Delivery,
): Promise<boolean> {
  const before = await observe(world, browser)
  const form = await toForm(world, browser, { path: '/signout', form: {}, accepts: 'json' })
  const request = { ...form, ...(before && { ends: before.id }) }
  const { reply, hasArrived } = await sendAs(world, browser, request, delivered)
  if (reply.status !== 200) return false
  const session = world.sessions.get(before?.id ?? '')
  if (world.has('revocation')) end(session, 'its user has signed out')
  if (!hasArrived) return false
  // A session of the previous service that the sign-out did not see is imported afterwards.
  if ((await observe(world, browser)) && browser.jar.get(PREVIOUS) === undefined)
    world.fail(`browser ${browser.id} has a session after a sign-out`)
  return session !== undefined
}
