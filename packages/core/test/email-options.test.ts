import type { MailAddress } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { EmailOptions } from '@latchkey/core/providers/email'
import { describe, expect, test } from 'vitest'
import { createEmailProvider } from './support/mailbox.ts'
import { getConfigError } from './support/service.ts'

describe('the options of email()', () => {
  const storage = memoryStorage()

  test.each<[string, unknown]>([
    ['mailer', undefined],
    ['mailer', null],
    ['mailer', {}],
    ['mailer', 'smtp://127.0.0.1'],
    ['from', undefined],
    ['from', ''],
    ['from', 'Example'],
    ['from', 'Example <>'],
    ['from', 'Example <sign-in>'],
    ['from', 'a@app.example, b@app.example'],
    ['from', 'Example <a@app.example>, <b@app.example>'],
    ['from', { address: 'nowhere' } satisfies MailAddress],
    ['from', { name: 'Example' }],
    ['from', 42],
    ['maxAge', 59],
    ['maxAge', 901],
    ['maxAge', 60.5],
    ['maxAge', '600'],
    ['maxAge', NaN],
  ])('%s: %j is refused with an error that names the option', (option, value) => {
    const over = { [option]: value } as Partial<EmailOptions>
    expect(getConfigError(() => ({ providers: [createEmailProvider(over)], storage }))).toEqual([
      `providers.email.${option}`,
      expect.any(String),
    ])
  })

  test('are refused with the id of the provider', () => {
    expect(
      getConfigError(() => ({
        providers: [createEmailProvider({ id: 'post', maxAge: 1 })],
        storage,
      })),
    ).toEqual(['providers.post.maxAge', expect.any(String)])
  })

  test.each<Partial<EmailOptions>>([
    { from: 'sign-in@app.example' },
    { from: 'Example <sign-in@app.example>' },
    { from: '"Example, Inc." <sign-in@app.example>' },
    { from: { address: 'sign-in@app.example', name: 'Example' } },
    { maxAge: 60 },
    { maxAge: 900 },
  ])('%j is accepted', (over) => {
    expect(
      getConfigError(() => ({ providers: [createEmailProvider(over)], storage })),
    ).toBeUndefined()
  })
})
