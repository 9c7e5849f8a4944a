import type { AuthConfig, Mail } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { securityEmails } from '@latchkey/account'
import type { SecurityEmailsOptions } from '@latchkey/account'
import { Browser } from '@latchkey/testing/browser'
import { Mailbox } from '../../../core/test/support/mailbox.ts'
import { asDocumented } from '../../../core/test/support/openapi.ts'
import { base, getUser, mergeUse, serve, signIn } from '../../../core/test/support/service.ts'
import type { TestService } from '../../../core/test/support/service.ts'

/** A service that sends emails about security. */
export interface SecurityService extends TestService<unknown> {
  readonly mailbox: Mailbox
  readonly storage: NonNullable<AuthConfig['storage']>
  /** Creates a browser with a User-Agent. */
  readonly browseAs: (userAgent: string) => Browser
  /** Resolves when everything is done that replies did not wait for. */
  readonly settle: () => Promise<void>
  /** Resolves to the emails that were sent since the last call. */
  readonly takeMails: () => Promise<readonly Mail[]>
}

/** The subjects of the emails at https://app.example, by what changed. */
export const subjects = {
  newBrowser: 'A new browser signed in to your account at app.example',
  factorAdded: 'A second factor was added to your account at app.example',
  factorRemoved: 'A second factor was removed from your account at app.example',
  recoveryCodeUsed: 'A recovery code of your account at app.example was used',
  recoveryCodesReplaced: 'New recovery codes were created for your account at app.example',
  secondFactorFailed: 'Many wrong codes were entered for your account at app.example',
  emailChanged: 'The email address of your account at app.example was changed',
  accountLinked: 'A way to sign in was added to your account at app.example',
  accountUnlinked: 'A way to sign in was removed from your account at app.example',
} as const

/** Serves emails about security, with a storage in memory. */
export function serveSecurity(
  over: Partial<AuthConfig> = {},
  options: Partial<SecurityEmailsOptions> = {},
): SecurityService {
  const { storage = memoryStorage() } = over
  const mailbox = new Mailbox()
  const from = 'Example <security@app.example>'
  const works: Promise<unknown>[] = []
  const service = serve({
    ...over,
    use: mergeUse([securityEmails({ mailer: mailbox, from, ...options })], over.use),
    storage,
  })
  const waitUntil = (work: Promise<unknown>): void => void works.push(work)
  const handle = asDocumented(base, (request) => service.auth.handle(request, { waitUntil }), false)
  const settle = async (): Promise<void> => {
    while (works.length > 0) await Promise.all(works.splice(0))
  }
  return {
    ...service,
    browse: () => new Browser(handle, base),
    browseAs: (userAgent) =>
      new Browser((request) => {
        request.headers.set('user-agent', userAgent)
        return handle(request)
      }, base),
    mailbox,
    storage,
    settle,
    async takeMails() {
      await settle()
      return mailbox.mails.splice(0)
    },
  }
}

/** Returns the subjects of emails. */
export function toSubjects(mails: readonly Mail[]): readonly string[] {
  return mails.map(({ subject }) => subject)
}

/** Signs in a user, alice, in a browser, which stores her, and returns both. */
export async function serveAlice(
  over: Partial<AuthConfig> = {},
  options: Partial<SecurityEmailsOptions> = {},
): Promise<SecurityService & { readonly owner: Browser; readonly id: string }> {
  const service = serveSecurity(over, options)
  const owner = service.browse()
  await signIn(owner)
  const { id } = await getUser(owner)
  return { ...service, owner, id }
}
