import { writeSecurityMail } from './security-mail.ts'
import type { SecurityMail } from './security-mail.ts'
import type { Capability, Context, Done, DoneSignIn, OptionParts } from '@latchkey/core/capability'
import { changed, requireStorage } from '@latchkey/core/capability'
import {
  checkMailOptions,
  ConfigurationError,
  checkKind,
  checkKnownNames,
  requireRevocable,
} from '@latchkey/core/capability/options'
import type { WrittenMail, MailAddress, Mailer } from '@latchkey/core'
import type { Awaitable, Names } from '@latchkey/core/capability/options'
import { endAllSessions, showEndPage } from './end-sessions.ts'
import { KNOWN, rememberUser } from './known-users.ts'
import { limitChange } from './limit-changes.ts'
import type { SecuritySettings } from './settings.ts'
import { notifyUser, sendHeldMails } from './notify-user.ts'

/** The options of {@link securityEmails}. */
export interface SecurityEmailsOptions {
  /** Sends the emails. */
  readonly mailer: Mailer
  /** The sender: `local@domain`, `Name <local@domain>`, or both parts as an object. */
  readonly from: string | MailAddress
  /** Writes an email. Default: the texts of the configuration's `messages` */
  readonly write?: (mail: SecurityMail) => Awaitable<WrittenMail>
}

const names: Names<SecurityEmailsOptions> = { mailer: true, from: true, write: true }

/** What the storage must be able to do. */
const capabilities = ['sessions', 'sessionLists', 'increment', 'revocations'] as const

/**
 * Notifies users by email of changes that matter to their security: an element of `use`. An email is
 * sent only to a proven email address, and its link leads to a page that ends all sessions of the user.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig, Mailer } from '@latchkey/core'
 *   import { securityEmails } from '@latchkey/account'
 *
 *   declare const config: AuthConfig
 *   declare const mailer: Mailer
 *   const auth = createAuth({
 *     ...config,
 *     serviceUrl: 'https://example.com',
 *     use: [securityEmails({ mailer, from: 'Example <security@example.com>' })],
 *   })
 *
 * @throws ConfigurationError naming the option that cannot be used
 */
export function securityEmails(options: SecurityEmailsOptions): Capability {
  const settings = resolveSettings(options)
  return {
    id: 'securityEmails',
    check: checkParts,
    start: (service) => sendHeldMails(service, settings),
    routes: [
      { method: 'GET', path: '/end-sessions', action: showEndPage },
      { method: 'POST', path: '/end-sessions', action: endAllSessions },
    ],
    limitChange,
    changed: (change) => notifyUser(settings, change),
    done: noteBrowser,
  }
}

function resolveSettings(options: SecurityEmailsOptions): SecuritySettings {
  checkKnownNames('securityEmails', options, Object.keys(names))
  const { mailer, write = writeSecurityMail } = options
  const from = checkMailOptions('securityEmails', options)
  checkKind('securityEmails.write', write, 'a function')
  return { mailer, from, write }
}

function checkParts(parts: OptionParts): void {
  const { providers, storage, origin } = parts
  requireStorage(storage, 'securityEmails', capabilities)
  requireRevocable(parts, 'securityEmails')
  if (origin === undefined) {
    // Else a request could choose the host of a link.
    throw new ConfigurationError('securityEmails', 'needs the option serviceUrl')
  }
  if (providers.has(KNOWN.id)) {
    const problem = `the id "${KNOWN.id}" is taken by securityEmails`
    throw new ConfigurationError('providers', problem)
  }
}

/** Tells a user of a browser that is new to them, and returns the cookie by which the browser is known then. */
async function noteBrowser(ctx: Context, { userId, isNewUser }: DoneSignIn): Promise<Done> {
  const { isKnown, cookies } = await rememberUser(ctx, userId)
  // A user who did not exist before has no other browser.
  if (!isKnown && !isNewUser) {
    await changed({ service: ctx.service, ctx, kind: 'newBrowser', userId })
  }
  return { cookies }
}
