/** Signing in by the link or the code of an email. */
import { authenticate } from '../authenticate.ts'
import type { Browser } from '../browser.ts'
import type { Person } from '../people.ts'
import { submit, toForm, visit } from '../replies.ts'
import type { Delivery } from '../messages.ts'
import { getCookies } from '../sessions.ts'
import type { World } from '../world.ts'

/** What a sign-in email has. */
export interface SignInMail {
  readonly link: string
  readonly code: string
}

/** Asks for a sign-in email; undefined if none was sent. */
export async function askForMail(
  world: World,
  browser: Browser,
  { email }: Person,
): Promise<SignInMail | undefined> {
  const { mails } = world.ports
  const before = mails.length
  const reply = await submit(world, browser, { path: '/signin/email', form: { email } })
  const mail = mails.slice(before).findLast(({ to }) => to.address === email)
  if (!mail || reply.error !== undefined) return undefined
  const [link = ''] = /https:\/\/\S+\/callback\/email\S*/.exec(mail.text) ?? []
  const code = (/\b\d{4} ?\d{4}\b/.exec(mail.text)?.[0] ?? '').replace(' ', '')
  world.hide(new URL(link).searchParams.get('token') ?? '', 'the token of a link')
  world.hide(code, 'a code')
  return { link, code }
}

/** Notes that a link was used, which no browser may use again. */
function spendLink(world: World, link: string): void {
  const replay = async (browser: Browser): Promise<void> => {
    await visit(world, browser, { path: link, site: 'cross-site' })
    await submit(world, browser, toLinkForm(link))
  }
  world.spent.push({ kind: 'the link of an email', replay })
}

/** The form of the page that a link shows in another browser than the one that asked. */
function toLinkForm(link: string): {
  readonly path: string
  readonly form: Record<string, string>
} {
  const { origin, pathname, searchParams } = new URL(link)
  return { path: origin + pathname, form: Object.fromEntries(searchParams) }
}

/** Where a link was asked for, and where it is opened. */
interface OpenedLink {
  readonly person: Person
  readonly asked: Browser
  readonly opened: Browser
  readonly delivered: Delivery
}

/** Signs in by a link, in the browser that asked for it or in another one. */
export async function openLink(
  world: World,
  { person, asked, opened, delivered }: OpenedLink,
  { link }: SignInMail,
): Promise<boolean> {
  const isSame = asked === opened
  if (!isSame) await visit(world, opened, { path: link, site: 'cross-site' })
  const request = isSame
    ? ({ path: link, site: 'cross-site' } as const)
    : await toForm(world, opened, toLinkForm(link))
  const attempt = { person, browser: opened, way: 'email', delivery: delivered, request } as const
  const { outcome } = await authenticate(world, attempt)
  if (outcome === 'refused' || world.isUnclear) return false
  spendLink(world, link)
  return true
}

/** Signs in by the code of an email, in the browser that asked for it. */
export async function typeCode(
  world: World,
  { person, asked: browser, delivered }: Omit<OpenedLink, 'opened'>,
  { link, code }: SignInMail,
): Promise<boolean> {
  const path = '/callback/email'
  const request = await toForm(world, browser, { path, form: { code } })
  const attempt = { person, browser, way: 'email', delivery: delivered, request } as const
  const cookie = getCookies(world, browser)
  const { outcome } = await authenticate(world, attempt)
  if (outcome === 'refused' || world.isUnclear) return false
  spendLink(world, link)
  const replay = async (other: Browser): Promise<void> => {
    await submit(world, other, { path, form: { code } })
    await visit(world, other, { ...request, cookie })
  }
  world.spent.push({ kind: 'the code of an email', replay })
  return true
}
