import { ConfigurationError } from '@latchkey/core'
import { de } from '@latchkey/core/languages/de'
import { en } from '@latchkey/core/languages/en'
import { de as germanTexts } from '../src/languages/de.ts'
import { recoveryCodes, totp } from '@latchkey/second-factor'
import { expect, test } from 'vitest'

test('an unknown option is named', () => {
  expect(() => totp({ issuer: 'Example' })).not.toThrow()
  const misspelt: object = { isseur: 'Example' }
  expect(() => totp(misspelt)).toThrow(ConfigurationError)
  expect(() => totp(misspelt)).toThrow('totp.isseur: is not an option: did you mean issuer?')
  expect(() => recoveryCodes({ count: 5 })).not.toThrow()
  const other: object = { size: 5 }
  expect(() => recoveryCodes(other)).toThrow(ConfigurationError)
  expect(() => recoveryCodes(other)).toThrow(
    'recoveryCodes.size: is not an option: expected one of count',
  )
})

test.each(['', ' ', null, 1])('totp refuses the issuer %j', (issuer) => {
  const options: object = { issuer }
  expect(() => totp(options)).toThrow('totp.issuer: must be a text that is not empty')
})

test.each([0, 51, 1.5, Number.NaN, '5'])('recoveryCodes refuses the count %s', (count) => {
  const options: object = { count }
  expect(() => recoveryCodes(options)).toThrow(
    'recoveryCodes.count: must be an integer from 1 to 50',
  )
})

test.each([
  [totp().fields['code'], 'Code from your authenticator app'],
  [recoveryCodes().fields['code'], 'Recovery code'],
])('the label of a field is in the language of the page, by default $1', (field, label) => {
  const getLabel = field?.label
  if (typeof getLabel !== 'function') throw new Error('expected a function')
  expect(getLabel(en, 'en')).toBe(label)
  expect(getLabel(de, 'de')).toBe(label)
  const { code, recoveryCode } = germanTexts.capabilities.secondFactor
  const german = label === 'Recovery code' ? recoveryCode : code
  expect(getLabel({ ...de, ...germanTexts }, 'de')).toBe(german)
})
