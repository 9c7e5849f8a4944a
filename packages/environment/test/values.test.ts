import {
  EnvironmentError,
  readChoice,
  readEnvironment,
  readFlag,
  readInteger,
  readList,
  readPort,
  readText,
} from '@latchkey/environment'
import type { Variables } from '@latchkey/environment'
import { describe, expect, test } from 'vitest'

/** Reads the variable X. */
function readX<T>(value: unknown, read: (variables: Variables, name: string) => T): T {
  return readEnvironment({ X: value }, (variables) => read(variables, 'X'))
}

describe('readText', () => {
  test.each([
    ['a', 'a'],
    [' a ', ' a '],
    ['', undefined],
    [undefined, undefined],
  ])('%j is %j', (value, expected) => expect(readX(value, readText)).toBe(expected))

  test.each([12, true, null, {}])('%j is not a string', (value) => {
    expect(() => readX(value, readText)).toThrow('X: must be a string, in quotation marks')
  })
})

describe('readFlag', () => {
  test.each([
    ['true', true],
    [true, true],
    ['false', false],
    [false, false],
    [undefined, false],
  ])('%j is %j', (value, expected) => expect(readX(value, readFlag)).toBe(expected))

  test.each(['', '0', '1', 'TRUE', 'no', 'yes', ' true', 1, {}])('%j is not a flag', (value) => {
    expect(() => readX(value, readFlag)).toThrow('X: must be exactly true or false')
  })
})

describe('readPort', () => {
  const read = (variables: Variables, name: string): number => readPort(variables, name, 3000)

  test.each([
    ['8080', 8080],
    ['0', 0],
    ['65535', 65_535],
    ['', 3000],
    [undefined, 3000],
  ])('%j is %j', (value, expected) => expect(readX(value, read)).toBe(expected))

  test.each(['http', '-1', '65536', '3000x', '1e3', ' 80', '0x50'])('%j is not a port', (value) => {
    expect(() => readX(value, read)).toThrow('X: must be a whole number from 0 to 65535')
  })

  test('0 is not a port if any free port is not an option', () => {
    expect(() => readX('0', (variables, name) => readPort(variables, name, 3000, 1))).toThrow(
      'X: must be a whole number from 1 to 65535',
    )
  })
})

describe('readInteger', () => {
  const read = (variables: Variables, name: string): number =>
    readInteger(variables, name, { fallback: 10, least: 1, most: 1000 })

  test.each([
    ['1', 1],
    ['1000', 1000],
    ['', 10],
    [undefined, 10],
  ])('%j is %j', (value, expected) => expect(readX(value, read)).toBe(expected))

  test.each(['0', '1001', '-1', '1.5', '1e2', ' 1', 'ten', '1234567890'])(
    '%j is not a number from 1 to 1000',
    (value) => {
      expect(() => readX(value, read)).toThrow('X: must be a whole number from 1 to 1000')
    },
  )
})

describe('readChoice', () => {
  const read = (variables: Variables, name: string): string =>
    readChoice(variables, name, ['text', 'json'])

  test.each([
    ['json', 'json'],
    ['text', 'text'],
    ['', 'text'],
    [undefined, 'text'],
  ])('%j is %j', (value, expected) => expect(readX(value, read)).toBe(expected))

  test.each(['JSON', 'xml', ' json'])('%j is not one of the choices', (value) => {
    expect(() => readX(value, read)).toThrow('X: must be one of text, json')
  })
})

test.each([
  ['a,b', ['a', 'b']],
  ['a\nb', ['a', 'b']],
  [' a , b,', ['a', 'b']],
  [' , ', []],
  [undefined, []],
])('the list %j is %j', (value, expected) => {
  expect(readX(value, readList)).toEqual(expected)
})

describe('readEnvironment', () => {
  test('returns what its function returns', () => {
    expect(readEnvironment({}, () => 'settings')).toBe('settings')
  })

  test('lists the problems in the order in which they were found', () => {
    const read = (): unknown =>
      readEnvironment({ A: 'x', B: 'x' }, (variables) => [
        readFlag(variables, 'A'),
        readPort(variables, 'B', 1),
      ])
    expect(read).toThrow(EnvironmentError)
    expect(read).toThrow(
      'A: must be exactly true or false\nB: must be a whole number from 0 to 65535',
    )
  })
})
