import { ConfigurationError } from '@latchkey/core'
import { passwordRules } from '@latchkey/passwords'
import { describe, expect, test } from 'vitest'

describe('the length', () => {
  const { findProblem, minLength, maxLength } = passwordRules()

  test('is 15 to 1,000 characters', async () => {
    expect([minLength, maxLength]).toEqual([15, 1000])
    expect(await findProblem('x'.repeat(14))).toBe('tooShort')
    expect(await findProblem('x'.repeat(15))).toBeUndefined()
    expect(await findProblem('x'.repeat(1000))).toBeUndefined()
    expect(await findProblem('x'.repeat(1001))).toBe('tooLong')
    expect(await findProblem('x'.repeat(100_000))).toBe('tooLong')
  })

  test.each([
    ['emoji', '😀'],
    ['composed letters', 'ë'],
    ['decomposed letters', 'ë'.normalize('NFD')],
    ['decomposed letters with three marks', 'ᾧ'.normalize('NFD')],
    ['decomposed syllables', '각'.normalize('NFD')],
  ])('counts code points after NFC: %s', async (_, character) => {
    expect(await findProblem(character.repeat(14))).toBe('tooShort')
    expect(await findProblem(character.repeat(15))).toBeUndefined()
    expect(await findProblem(character.repeat(1000))).toBeUndefined()
    expect(await findProblem(character.repeat(1001))).toBe('tooLong')
  })

  test('can begin at 8', async () => {
    const short = passwordRules({ minLength: 8 })
    expect(await short.findProblem('x'.repeat(7))).toBe('tooShort')
    expect(await short.findProblem('x'.repeat(8))).toBeUndefined()
  })

  test.each([7, 65, 8.5, '15', null])('cannot begin at %j', (value) => {
    expect(() => passwordRules({ minLength: 64 })).not.toThrow()
    const options: object = { minLength: value }
    expect(() => passwordRules(options)).toThrow(ConfigurationError)
    expect(() => passwordRules(options)).toThrow(
      'passwordRules.minLength: must be an integer from 8 to 64',
    )
  })
})

test('no kinds of characters are required', async () => {
  expect(await passwordRules().findProblem('               ')).toBeUndefined()
})

test('a password that is known is breached, and only one of the right length is checked', async () => {
  const asked: string[] = []
  const check = async (password: string): Promise<boolean> => {
    asked.push(password)
    return password.startsWith('known')
  }
  const { findProblem } = passwordRules({ check })
  expect(await findProblem('known and long enough')).toBe('breached')
  expect(await findProblem('other and long enough')).toBeUndefined()
  expect(await findProblem('known')).toBe('tooShort')
  expect(asked).toEqual(['known and long enough', 'other and long enough'])
})

test('an unknown option is named', () => {
  expect(() => passwordRules({ minLength: 16 })).not.toThrow()
  const misspelt: object = { minimum: 16 }
  expect(() => passwordRules(misspelt)).toThrow('passwordRules.minimum: is not an option')
})
