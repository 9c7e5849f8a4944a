import { Browser } from '@latchkey/core/testing'
import { describe, expect, test } from 'vitest'
import { alice, ask, register, servePasswords } from './support/service.ts'

const preview = { serviceUrl: undefined, trustHost: ['app.example', '*.preview.example'] }

describe('the host of the links of passwords (I-57.8)', () => {
  test.each<[boolean | string[]]>([[true], [['*.preview.example']], [['app.example:*']]])(
    '%j is refused at start-up without serviceUrl',
    (trustHost) => {
      expect(() => servePasswords({}, { trustHost })).not.toThrow()
      expect(() => servePasswords({}, { trustHost, serviceUrl: undefined })).toThrow(
        /^providers\.passwords: .*serviceUrl/,
      )
    },
  )

  test('linkHost must be a function', () => {
    const linkHost = 'app.example' as never
    expect(() => servePasswords({ linkHost })).toThrow(
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
