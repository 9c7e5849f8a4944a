/** Signing in, confirming and linking by an identity provider. */
import { authenticate } from '../authenticate.ts'
import type { Browser, Tab } from '../browser.ts'
import { sendAs, submit, visit } from '../replies.ts'
import type { Delivery } from '../messages.ts'
import { getCookies, observe } from '../sessions.ts'
import type { World } from '../world.ts'

const purposes = { signIn: {}, link: { link: 'true' }, confirm: { confirm: 'true' } } as const

/** Begins at an identity provider, and authenticates there; undefined if the service refuses to begin. */
export async function openTab(
  world: World,
  browser: Browser,
  tab: Pick<Tab, 'person' | 'provider' | 'purpose'>,
): Promise<Tab | undefined> {
  const form = purposes[tab.purpose]
  const path = `/signin/${tab.provider}`
  const { url = '' } = await submit(world, browser, { path, form, accepts: 'json' })
  if (!url.startsWith(`https://${tab.provider}.example/`)) return undefined
  const { searchParams } = new URL(url)
  const callback = new URL(searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('code', world.issueCode(tab.person))
  callback.searchParams.set('state', searchParams.get('state') ?? '')
  const session = await observe(world, browser)
  return { ...tab, callbackUrl: callback.href, sessionId: session?.id }
}

/** Returns from an identity provider; true if the sign-in, the confirmation or the link has continued. */
export async function finishTab(
  world: World,
  browser: Browser,
  tab: Tab,
  delivered: Delivery,
): Promise<boolean> {
  const { person, provider: way, purpose, callbackUrl } = tab
  const cookie = getCookies(world, browser)
  const request = { path: callbackUrl, site: 'cross-site' } as const
  const isLink = purpose === 'link'
  const done = isLink
    ? await finishLink(world, browser, tab, delivered)
    : (await authenticate(world, { person, browser, way, purpose, delivery: delivered, request }))
        .outcome !== 'refused'
  if (!done || world.isUnclear) return false
  const replay = async (other: Browser): Promise<void> => {
    await visit(world, other, { ...request, cookie })
  }
  world.spent.push({ kind: 'an authorization response', replay })
  return true
}

async function finishLink(
  world: World,
  browser: Browser,
  { callbackUrl, person, provider: id }: Tab,
  delivered: Delivery,
): Promise<boolean> {
  const session = await observe(world, browser)
  await sendAs(world, browser, { path: callbackUrl, site: 'cross-site' }, delivered)
  if (!session) return false
  const { storage } = world.ports
  const accounts = await world.ports.watch(async () => storage?.listAccounts?.(session.userId))
  const isLinked = accounts?.some(({ provider: each }) => each === id) ?? false
  if (isLinked) person.users.set(id, session.userId)
  return isLinked
}
