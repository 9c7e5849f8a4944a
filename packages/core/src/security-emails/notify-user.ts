import { callListener } from '../events.ts'
import { parseServiceUrl } from '../http/base-url.ts'
import { describeBrowser } from '../lib/describe-browser.ts'
import { getCauses } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { SecurityChange, StoredUser } from '../ports/records.ts'
import type { HandleOptions } from '../ports/runtime.ts'
import type { Language } from '../ports/messages.ts'
import type { Service } from '../service.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { issueEndToken } from './end-token.ts'
import { createHeldChanges } from './held-changes.ts'
import type { SecurityFacts } from './security-notices.ts'
import type { SecuritySettings } from './settings.ts'

/** What an email says of the request that changed something. */
export interface ChangingRequest {
  readonly userAgent: string | undefined
  readonly language: Language
  readonly options: HandleOptions
}

/**
 * What no limit holds back: recovery codes are few, and after a change of the email address the next email would go
 * to the new one only.
 */
const alwaysSent: readonly SecurityChange[] = ['recoveryCodeUsed', 'emailChanged']

/** A change, with what is read once for it. */
interface Notice {
  readonly service: Service
  readonly settings: SecuritySettings
  readonly facts: SecurityFacts
  readonly user: StoredUser
  readonly browser: string | undefined
  readonly language: Language
  /** Seconds since 1970. */
  readonly at: number
}

/**
 * Emits the event of a change, and notifies its user by email.
 *
 * @param request Default: none, for a call of the server, whose language is the first one of `messages`
 */
export async function notifyUser(
  service: Service,
  settings: SecuritySettings,
  facts: SecurityFacts,
  request?: ChangingRequest,
): Promise<void> {
  try {
    const storage = requireStorage(service.storage, 'securityEmails', [])
    const user = await storage.getUser(facts.userId)
    if (!user) return
    const [first = null] = Object.keys(service.config.messages ?? {})
    const language = request?.language ?? service.negotiate(first)
    const browser = describeBrowser(request?.userAgent)
    const at = Math.floor(service.runtime.now() / 1000)
    const notice = { service, settings, facts, user, browser, language, at }
    await Promise.all([emitChange(notice, request), mailUser(notice)])
  } catch (thrown) {
    const details = { change: facts.change, causes: getCauses(thrown) }
    service.log.error('an email about security was not sent', details)
  }
}

function emitChange(
  { service, facts: { change }, user, browser, at }: Notice,
  request: ChangingRequest | undefined,
): Promise<void> {
  const event = { user: { ...user }, change, ...(browser !== undefined && { browser }), at }
  return callListener(service, 'securityChanged', event, () => request?.options.clientIp?.())
}

async function mailUser(notice: Notice): Promise<void> {
  const { service, facts, user, at } = notice
  const addresses = listAddresses(facts, user)
  if (addresses.length === 0) return
  const changes = createHeldChanges(service, user.id, at)
  if (!alwaysSent.includes(facts.change) && !(await changes.count(facts.change)))
    return changes.hold()
  // If that is unknown, the email is sent all the same.
  const hasFurther = await changes.hasHeld().catch(() => true)
  const sent = addresses.map((address) => sendMail(notice, address, hasFurther))
  const failed = (await Promise.allSettled(sent)).find(({ status }) => status === 'rejected')
  if (!failed) return changes.release()
  // The next email says that there was a further change.
  await changes.hold()
  await Promise.all(sent)
}

/** Returns the proven email addresses: before a change of it, and now. */
function listAddresses({ previous }: SecurityFacts, user: StoredUser): readonly string[] {
  return [previous, user].flatMap((each) => (each?.emailVerified && each.email) || [])
}

async function sendMail(
  { service, settings, facts, user, browser, language, at }: Notice,
  address: string,
  hasFurther: boolean,
): Promise<void> {
  const { config, providers, timeouts, runtime } = service
  const { origin = '', basePath } = parseServiceUrl(config.serviceUrl, true)
  const token = await issueEndToken(service, user.id, at)
  const { change, detail } = facts
  // Users choose the names of factors: one may be the id of a provider.
  const isOfAccount = change === 'accountLinked' || change === 'accountUnlinked'
  const written = settings.write({
    change,
    at,
    browser,
    detail: (isOfAccount ? providers.get(detail ?? '')?.name : undefined) ?? detail ?? undefined,
    hasFurther,
    url: `${origin}${basePath}/end-sessions?token=${token}`,
    host: new URL(origin).host,
    language,
  })
  const mail = { to: { address }, from: settings.from, ...written }
  await withTimeout(settings.mailer.send(mail), timeouts.request, undefined, runtime)
}
