import { describeBrowser, withMailTexts } from '@latchkey/core/capability/pages'
import { toTypeName } from '@latchkey/core/capability/factors'
import { callListener, getCauses, requireStorage } from '@latchkey/core/capability'
import { withTimeout } from '@latchkey/core/unstable'
import type { StoredUser, Language } from '@latchkey/core'
import type { Change, Context, Service } from '@latchkey/core/capability'
import { issueEndToken } from './end-token.ts'
import { createHeldChanges } from './held-changes.ts'
import type { HeldChanges } from './held-changes.ts'
import type { SecuritySettings } from './settings.ts'

/** What an email says of a change: the outbox keeps it. */
type ChangeFacts = Pick<Change, 'kind' | 'userId' | 'detail' | 'previous'>

/** A change, with what is read once for it. */
interface Notice {
  readonly service: Service
  readonly settings: SecuritySettings
  readonly facts: ChangeFacts
  readonly user: StoredUser
  readonly browser: string | undefined
  readonly language: Language
  /** When it changed, in seconds since 1970. */
  readonly at: number
}

/**
 * Emits the event of a change, and notifies its user by email: after a call of the server in the first language of
 * `messages`.
 */
export async function notifyUser(
  settings: SecuritySettings,
  { service, ctx, ...facts }: Change,
): Promise<void> {
  try {
    const storage = requireStorage(service.storage, 'securityEmails', [])
    const user = await storage.getUser(facts.userId)
    if (!user) return
    const language = ctx?.language ?? service.defaultLanguage
    const browser = describeBrowser(ctx?.userAgent)
    const at = Math.floor(service.runtime.now() / 1000)
    const notice = { service, settings, facts, user, browser, language, at }
    await Promise.all([emitChange(notice, ctx), mailUser(notice)])
  } catch (thrown) {
    const details = { change: facts.kind, causes: getCauses(thrown) }
    service.log.error('an email about security was not sent', details)
  }
}

function emitChange(
  { service, facts: { kind: change }, user, browser, at }: Notice,
  ctx: Context | undefined,
): Promise<void> {
  const event = { user: { ...user }, change, ...(browser !== undefined && { browser }), at }
  return callListener(service, 'securityChanged', event, () => ctx?.options.clientIp?.())
}

async function mailUser(notice: Notice): Promise<void> {
  const { service, facts, user, at } = notice
  if (listAddresses(facts, user).length === 0) return
  const changes = createHeldChanges(service, user.id, at)
  const wait = await changes.count(facts)
  if (wait === 0) return sendMails(notice, changes)
  if (!(await storeForLater(notice, at + wait))) await changes.hold()
}

/**
 * Stores the first email that a limit holds back until the limit resets, if there is an outbox; that email mentions the
 * others. Returns whether it was stored.
 */
async function storeForLater(
  { service, facts: { kind, detail }, user, browser, language: { tag }, at }: Notice,
  due: number,
): Promise<boolean> {
  const { outbox, usedOnce, storage } = service
  if (!outbox || !(await usedOnce.take(`security email ${user.id} ${due}`, due, at))) return false
  const facts = { userId: user.id, change: kind, detail }
  const held: HeldMail = { facts, browser, tag, at }
  await storage?.updateUser(user.id, {}, [outbox.toOwnRow(HELD_MAIL, held, due)])
  return true
}

/** An email in the outbox, as JSON. */
interface HeldMail extends Pick<Notice, 'browser' | 'at'> {
  readonly facts: Pick<ChangeFacts, 'userId' | 'detail'> & { readonly change: ChangeFacts['kind'] }
  /** The tag of its language. */
  readonly tag: string
}

/** The name of its event in the outbox. */
const HELD_MAIL = 'securityEmail'

/** Sends the emails that {@link notifyUser} has stored, when they are due. */
export function sendHeldMails(service: Service, settings: SecuritySettings): void {
  service.outbox?.deliverOwn(HELD_MAIL, async ({ facts: stored, browser, tag, at }: HeldMail) => {
    const { change: kind, ...rest } = stored
    const facts = { ...rest, kind }
    const user = await service.storage?.getUser(facts.userId)
    if (!user) return
    const language = service.negotiate(tag)
    const now = Math.floor(service.runtime.now() / 1000)
    const changes = createHeldChanges(service, user.id, now)
    await sendMails({ service, settings, facts, user, browser, language, at }, changes)
  })
}

async function sendMails(notice: Notice, changes: HeldChanges): Promise<void> {
  const addresses = listAddresses(notice.facts, notice.user)
  // If that is unknown, the email is sent all the same.
  const hasFurther = await changes.hasHeld().catch(() => true)
  const { timeouts, runtime } = notice.service
  const sent = addresses.map((address) =>
    withTimeout(sendMail(notice, address, hasFurther), timeouts.request, undefined, runtime),
  )
  const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
  if (!failed) return changes.release()
  // The next email says that there was a further change.
  await changes.hold()
  await Promise.all(sent)
}

/** Returns the proven email addresses: before a change of it, and now. */
function listAddresses({ previous }: ChangeFacts, user: StoredUser): readonly string[] {
  return [previous, user].flatMap((each) => (each?.emailVerified && each.email) || [])
}

async function sendMail(
  { service, settings, facts, user, browser, language, at }: Notice,
  address: string,
  hasFurther: boolean,
): Promise<void> {
  const { origin = '', basePath } = service
  const token = await issueEndToken(service, user.id, at)
  const { kind: change } = facts
  const written = await settings.write({
    change,
    at,
    browser,
    detail: getDetail(facts, service, language),
    hasFurther,
    url: `${origin}${basePath}/end-sessions?token=${token}`,
    host: new URL(origin).host,
    brand: service.theme.brand,
    language: withMailTexts(language),
  })
  await settings.mailer.send({ to: { address }, from: settings.from, ...written })
}

/** Returns what the email calls the provider or the kind of factor: never a text that a user has typed. */
function getDetail(
  { kind, detail }: ChangeFacts,
  service: Service,
  { messages }: Language,
): string | undefined {
  if (detail === undefined) return undefined
  // Its name as the service is configured with it, or the host of its document.
  if (kind === 'applicationAllowed' || kind === 'applicationReused') return detail
  // A type of factor may have the id of a provider.
  if (kind === 'accountLinked' || kind === 'accountUnlinked')
    return service.providers.get(detail)?.name ?? detail
  return toTypeName(service, messages, detail)
}
