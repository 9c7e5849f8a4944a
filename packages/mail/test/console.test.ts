import { consoleMailer } from '@latchkey/mail/console'
import { expect, test, vi } from 'vitest'
import { createSignInMail, link } from './support/sign-in-mail.ts'

test('an email is printed: to whom, its subject and its text with the link', async () => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  await consoleMailer().send(createSignInMail())
  const [[text]] = print.mock.calls as [[string]]
  print.mockRestore()
  expect(text).toContain(
    'An email to alice@example.com, printed and not sent: Sign in to app.example',
  )
  expect(text).toContain(link)
})

test('an email that no mailer would send is refused', async () => {
  const printed: string[] = []
  const mailer = consoleMailer((text) => printed.push(text))
  const to = { address: 'alice@example.com, bob@example.com' }
  await expect(mailer.send(createSignInMail({ to }))).rejects.toMatchObject({ name: 'MailError' })
  expect(printed).toEqual([])
})
