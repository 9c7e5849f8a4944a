import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig } from '@latchkey/core'
import { passwords } from '@latchkey/passwords'
import { Browser } from '@latchkey/testing'
import { describe, expect, test } from 'vitest'
import { alice, ask, fastHasher, register, servePasswords } from './support/service.ts'

const preview = { serviceUrl: undefined, trustHost: ['app.example', '*.preview.example'] }

/** Creates a service whose only way to sign in is a password. */
function create(options: { linkHost?: never } = {}, over: Partial<AuthConfig> = {}): Auth {
  const { config, mailbox } = servePasswords()
  const providers = [
    passwords({ hasher: fastHasher(), mailer: mailbox, from: 'a@app.example', ...options }),
  ]
  return createAuth({ ...config, ...over, providers })
}

describe('the host of the links of passwords (I-57.8)', () => {
  test.each<[boolean | string[]]>([[true], [['*.preview.example']], [['app.example:*']]])(
    '%j is refused at start-up without serviceUrl',
    (trustHost) => {
      expect(() => create({}, { trustHost })).not.toThrow()
      expect(() => create({}, { trustHost, serviceUrl: undefined })).toThrow(
        /^providers\.passwords: .*serviceUrl/,
      )
    },
  )

  test('linkHost must be a function', () => {
    const linkHost = 'app.example' as never
    expect(() => create()).not.toThrow()
    expect(() => create({ linkHost })).toThrow(
      /^providers\.passwords\.linkHost: must be a function/,
    )
  })

  test('a reset that another host asks for sends no email', async () => {
    const linkHost = (host: string): boolean => host === 'app.example'
    const service = servePasswords({ linkHost }, preview)
    await register(service)
    const thief = new Browser(service.auth.handle, 'https://evil.preview.example/api/auth')
    const sent = service.mailbox.mails.length
    expect((await ask(thief, 'forgot')).headers.get('location')).toContain('error=Configuration')
    expect(service.mailbox.mails.length).toBe(sent)
    expect((await ask(service.browse(), 'forgot')).status).toBe(302)
    expect(new URL(await service.mailbox.linkTo(alice)).host).toBe('app.example')
  })
})
