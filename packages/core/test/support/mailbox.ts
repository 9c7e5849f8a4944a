import type {
  AuthConfig,
  DefaultSession,
  Mail,
  Mailer,
  Provider,
  SessionToken,
  Storage,
  UntypedToken,
} from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import type { EmailOptions } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/testing/browser'
import { passport, serve } from './service.ts'
import type { TestService } from './service.ts'

/** A mailer that keeps every email. */
export class Mailbox implements Mailer {
  readonly mails: Mail[] = []
  /** Replaces sending, if set. */
  failure: (() => Promise<never>) | undefined

  async send(mail: Mail): Promise<void> {
    await this.failure?.()
    this.mails.push(mail)
  }

  /** The newest email. */
  get last(): Mail {
    const mail = this.mails.at(-1)
    if (!mail) throw new Error('expected an email, found none')
    return mail
  }

  /** Returns the link of an email. */
  getLink(mail: Mail = this.last): URL {
    const [link] = /https?:\S+/.exec(mail.text) ?? []
    if (link === undefined) throw new Error(`expected a link in: ${mail.text}`)
    return new URL(link)
  }

  /** Returns the eight-digit code of an email. */
  getCode(mail: Mail = this.last): string {
    const [code] = /^\d{8}$/m.exec(mail.text) ?? []
    if (code === undefined) throw new Error(`expected a code in: ${mail.text}`)
    return code
  }
}

/** A test service that signs in by email. */
export interface MailService<Session> extends TestService<Session> {
  readonly mailbox: Mailbox
  readonly storage: Storage
}

/** Serves sign-in by email and by `passport` (or other providers), with a storage in memory. */
export function serveMail<
  Session = DefaultSession,
  Token extends SessionToken = UntypedToken,
  Fields = unknown,
  Renewed extends SessionToken = Token,
>(
  over: Partial<AuthConfig<Session, Token, Fields, Renewed>> = {},
  options: Partial<EmailOptions> = {},
): MailService<Session> {
  const mailbox = new Mailbox()
  const storage = over.storage ?? memoryStorage()
  const provider = email({ mailer: mailbox, from: 'Example <sign-in@app.example>', ...options })
  const { providers = [passport()], ...rest } = over
  const service = serve<Session, Token, Fields, Renewed>({
    storage,
    ...rest,
    providers: [provider, ...providers],
  })
  return { ...service, mailbox, storage }
}

/** Creates an email provider whose mailer sends nothing. */
export function createEmailProvider(over: Partial<EmailOptions> = {}): Provider {
  const mailer: Mailer = { send: async () => undefined }
  return email({ mailer, from: 'sign-in@app.example', ...over })
}

/** Requests a sign-in email. */
export function requestEmail(
  browser: Browser,
  emailAddress = 'alice@example.com',
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit('/signin/email', { email: emailAddress, ...fields })
}

/** Requests a sign-in email, opens its link in the same browser, and returns the response. */
export async function signInByEmail(
  { mailbox }: { readonly mailbox: Mailbox },
  browser: Browser,
  emailAddress = 'alice@example.com',
): Promise<Response> {
  const { status } = await requestEmail(browser, emailAddress)
  if (status !== 302) throw new Error(`the request of an email answered ${status}`)
  return browser.visit(mailbox.getLink().href)
}

/** Returns the action and the hidden fields of a page's first form. */
export function parseForm(page: string): {
  readonly action: string
  readonly fields: Record<string, string>
} {
  const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(page) ?? []
  const fields: Record<string, string> = {}
  const form = page.slice(page.indexOf('<form'), page.indexOf('</form>'))
  for (const [, name = '', value = ''] of form.matchAll(
    /type="hidden" name="([^"]*)" value="([^"]*)"/g,
  )) {
    fields[name] = unescape(value)
  }
  return { action: unescape(action), fields }
}

function unescape(text: string): string {
  return text
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
}

/** Submits a page's first form. */
export async function submitForm(browser: Browser, page: string): Promise<Response> {
  const { action, fields } = parseForm(page)
  return browser.post(action, fields)
}
