import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { redactText, sanitizeCode } from '../src/mail-error.ts'

describe('the text of a refusal', () => {
  test.each([
    ['550 5.1.1 <alice@example.com>: unknown user', '550 5.1.1 <<email>>: unknown user'],
    ['see https://app.example/callback?token=abc.', 'see <url>'],
    ['code 123456, or 12345678', 'code …, or …'],
    ['two\r\nlines\0and\u2028more', 'two lines and more'],
    ['for alice%40example.com now', 'for <email> now'],
    ['turned \u202Earound', 'turned around'],
    ['SenderNotVerified is fine', 'SenderNotVerified is fine'],
    ['', ''],
  ])('redacts %j', (text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })

  test.each([
    ['a word of 500 characters', 'a'.repeat(500), '…'],
    ['a word of 5000 characters', 'a'.repeat(5000), ''],
    ['a hundred words', 'word '.repeat(100), 'word '.repeat(40).trim()],
  ])('cuts %s', (_, text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })

  test('contains no token, whatever is around it', () => {
    for (let i = 0; i < 500; i++) {
      const token = randomBytes(32).toString('base64url')
      for (const around of ['', '"', '<', '=', '.', ':', '@', '?token=']) {
        expect(redactText(`refused ${around}${token}${around}`)).not.toContain(token.slice(8, 28))
      }
    }
  })

  test('is short and redacted quickly, however long it was', () => {
    const started = performance.now()
    for (const unit of ['x', 'x ', 'a@', 'a:', '\u0000', 'https://a ', '12345 ', 'a.b-c+']) {
      expect(redactText(unit.repeat(200_000)).length).toBeLessThanOrEqual(200)
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('contains no part of a token where it is cut', () => {
    const token = randomBytes(32).toString('base64url')
    for (let length = 900; length < 1000; length++) {
      const redacted = redactText(
        `${'https://a '.repeat(90)}${' '.repeat(length - 900)}${token} end`,
      )
      expect(redacted).not.toContain(token.slice(0, 6))
    }
  })

  test('contains none of the given secrets, however short', () => {
    expect(redactText('no user:pw here, pw', ['pw', 'user', '', undefined])).toBe('no …:… here, …')
  })
})

describe('the code of a refusal', () => {
  test.each([
    ['validation_error', 'validation_error'],
    ['E_SENDER_NOT_VERIFIED', 'E_SENDER_NOT_VERIFIED'],
    ['MailFromDomainNotVerifiedException', 'MailFromDomainNotVerifiedException'],
    ['personalizations.0.to', 'personalizations.0.to'],
    [300, '300'],
    ['alice@example.com', undefined],
    ['two words', undefined],
    ['secretive', undefined],
    ['a'.repeat(65), undefined],
    ['', undefined],
    [null, undefined],
    [{}, undefined],
  ])('sanitizes %j', (code, sanitized) => {
    expect(sanitizeCode(code, ['secret'])).toBe(sanitized)
  })
})
