import type {
  AuthConfig,
  DefaultSession,
  Mail,
  Mailer,
  SessionToken,
  Storage,
} from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import type { EmailOptions } from '@latchkey/core/providers/email'
import type { Browser } from '@latchkey/core/testing/browser'
import { passport, serve } from './service.ts'
import type { TestService } from './service.ts'

/** A mailer that keeps what it was given to send. */
export class Mailbox implements Mailer {
  readonly mails: Mail[] = []
  /** What happens instead of sending, where set. */
  failure: (() => Promise<never>) | undefined

  async send(mail: Mail): Promise<void> {
    await this.failure?.()
    this.mails.push(mail)
  }

  /** The newest mail. */
  get last(): Mail {
    const mail = this.mails.at(-1)
    if (!mail) throw new Error('no mail has been sent')
    return mail
  }

  /** The link of a mail. */
  link(mail: Mail = this.last): URL {
    const [link] = /https?:\S+/.exec(mail.text) ?? []
    if (link === undefined) throw new Error(`no link in: ${mail.text}`)
    return new URL(link)
  }

  /** The six digits of a mail. */
  code(mail: Mail = this.last): string {
    const [code] = /^\d{6}$/m.exec(mail.text) ?? []
    if (code === undefined) throw new Error(`no code in: ${mail.text}`)
    return code
  }
}

export interface MailService<Session> extends TestService<Session> {
  readonly mailbox: Mailbox
  readonly storage: Storage
}

/** A service that signs in by e-mail and by passport (or others), with a storage in memory. */
export function serveMail<
  Session = DefaultSession,
  Token extends SessionToken = SessionToken & Readonly<Record<string, unknown>>,
>(
  over: Partial<AuthConfig<Session, Token>> = {},
  options: Partial<EmailOptions> = {},
): MailService<Session> {
  const mailbox = new Mailbox()
  const storage = over.storage ?? memoryStorage()
  const provider = email({ mailer: mailbox, from: 'Example <sign-in@app.example>', ...options })
  const { providers = [passport()], ...rest } = over
  const service = serve<Session, Token>({ storage, ...rest, providers: [provider, ...providers] })
  return { ...service, mailbox, storage }
}

/** Asks for a mail. */
export function ask(
  browser: Browser,
  address = 'alice@example.com',
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit('/signin/email', { email: address, ...fields })
}

/** The fields of the first form of a page. */
export function formOf(page: string): {
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

/** Presses the button of a page. */
export async function press(browser: Browser, page: string): Promise<Response> {
  const { action, fields } = formOf(page)
  return browser.post(action, fields)
}
