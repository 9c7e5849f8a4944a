import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { codeForLog, fitForLog } from '../src/mail-error.ts'

describe('what others say of a refusal', () => {
  test.each([
    ['550 5.1.1 <alice@example.com>: unknown user', '550 5.1.1 <<address>>: unknown user'],
    ['see https://app.example/callback?token=abc.', 'see <link>'],
    ['code 123456, or 12345678', 'code …, or …'],
    ['two\r\nlines\0and\u2028more', 'two lines and more'],
    ['for alice%40example.com now', 'for <address> now'],
    ['turned \u202Earound', 'turned around'],
    ['SenderNotVerified is fine', 'SenderNotVerified is fine'],
    ['a'.repeat(500), '…'],
    ['a'.repeat(5000), ''],
    ['word '.repeat(100), 'word '.repeat(40).trim()],
    ['', ''],
  ])('%j', (text, said) => {
    expect(fitForLog(text)).toBe(said)
  })

  test('has no token of ours in it, whatever stands around it', () => {
    for (let i = 0; i < 500; i++) {
      const token = randomBytes(32).toString('base64url')
      for (const around of ['', '"', '<', '=', '.', ':', '@', '?token=']) {
        expect(fitForLog(`refused ${around}${token}${around}`)).not.toContain(token.slice(8, 28))
      }
    }
  })

  test('is short, and soon, however long it was', () => {
    const started = performance.now()
    for (const unit of ['x', 'x ', 'a@', 'a:', '\u0000', 'https://a ', '12345 ', 'a.b-c+']) {
      expect(fitForLog(unit.repeat(200_000)).length).toBeLessThanOrEqual(200)
    }
    expect(performance.now() - started).toBeLessThan(2000)
  })

  test('has no half of a token in it, where it is cut', () => {
    const token = randomBytes(32).toString('base64url')
    for (let length = 900; length < 1000; length++) {
      const said = fitForLog(`${'https://a '.repeat(90)}${' '.repeat(length - 900)}${token} end`)
      expect(said).not.toContain(token.slice(0, 6))
    }
  })

  test('has no secret in it that is named, however short', () => {
    expect(fitForLog('no user:pw here, pw', ['pw', 'user', '', undefined])).toBe('no …:… here, …')
  })
})

describe('the name of a refusal', () => {
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
  ])('%j', (code, said) => {
    expect(codeForLog(code, ['secret'])).toBe(said)
  })
})
