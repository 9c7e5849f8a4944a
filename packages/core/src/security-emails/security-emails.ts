import { writeSecurityMail } from '../email/security-mail.ts'
import type { SecurityMail } from '../email/security-mail.ts'
import { parseSender, senderProblem } from '../email/sender.ts'
import type { WrittenMail } from '../email/sign-in-mail.ts'
import { ConfigurationError } from '../errors.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { checkCalled } from '../lib/called-function.ts'
import { checkKind } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { Names } from '../lib/known-names.ts'
import { requireRevocable } from '../option-parts.ts'
import type { OptionParts } from '../option-parts.ts'
import type { MailAddress, Mailer } from '../ports/mailer.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { endAllSessions, showEndPage } from './end-sessions.ts'
import type { SecurityEmailsHolder } from './get-security-notices.ts'
import { KNOWN } from './known-users.ts'
import { limitChange } from './limit-changes.ts'
import { noteSignIn } from './note-sign-in.ts'
import type { SecurityNotices } from './security-notices.ts'
import type { SecuritySettings } from './settings.ts'
import { notifyUser, sendHeldMails } from './notify-user.ts'
import { watchCalls } from './watch-calls.ts'

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
 * Notifies users by email of changes that matter to their security: the option `securityEmails`. An email is
 * sent only to a proven email address, and its link leads to a page that ends all sessions of the user.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig, Mailer } from '@latchkey/core'
 *   import { securityEmails } from '@latchkey/core/security-emails'
 *
 *   declare const config: AuthConfig
 *   declare const mailer: Mailer
 *   const auth = createAuth({
 *     ...config,
 *     serviceUrl: 'https://example.com',
 *     securityEmails: securityEmails({ mailer, from: 'Example <security@example.com>' }),
 *   })
 *
 * @throws ConfigurationError naming the option that cannot be used
 */
export function securityEmails(options: SecurityEmailsOptions): SecurityEmailsHolder {
  return { check: checkParts, notices: createNotices(resolveSettings(options)) }
}

function resolveSettings(options: SecurityEmailsOptions): SecuritySettings {
  checkKnownNames('securityEmails', options, Object.keys(names))
  const { mailer, write = writeSecurityMail } = options
  checkCalled('securityEmails.mailer', mailer)
  if (typeof mailer?.send !== 'function') {
    throw new ConfigurationError('securityEmails.mailer', 'must have the function send')
  }
  const from = parseSender(options.from)
  if (!from) throw new ConfigurationError('securityEmails.from', senderProblem)
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

function createNotices(settings: SecuritySettings): SecurityNotices {
  const notices: SecurityNotices = {
    async notify(service, facts, ctx) {
      if (ctx) return notices.note(ctx, facts)
      await notifyUser(service, settings, facts)
    },
    limitChange,
    start: (service) => sendHeldMails(service, settings),
    note: (ctx, facts) => keepAlive(ctx, notifyUser(ctx.service, settings, facts, ctx)),
    noteLink: (ctx, { user, account }) =>
      notices.note(ctx, { userId: user.id, change: 'accountLinked', detail: account.provider }),
    noteSignIn: (ctx, resolved, begun) => noteSignIn(ctx, notices, resolved, begun),
    watch: (service, calls, ctx) =>
      watchCalls(calls, (facts) => notices.notify(service, facts, ctx)),
    answer: (ctx, input) =>
      ctx.request.method === 'POST' ? endAllSessions(ctx, input) : showEndPage(ctx, input),
  }
  return notices
}

export type { SecurityEmailsHolder, SecurityMail, WrittenMail }
export type { SecurityEmails } from './option.ts'
