import { describe, expect, test } from 'vitest'
import { listMutants } from '../../src/mutation/mutants.ts'

/** Returns the changes of one operator in a source, each as `before → after`. */
function listChanges(source: string, operator: string): readonly string[] {
  return listMutants('sample.ts', source)
    .filter((mutant) => mutant.operator === operator)
    .map(({ before, after }) => `${before} → ${after}`)
}

describe('each operator changes its places', () => {
  test.each([
    ['arithmetic', 'x = a - b', ['a - b → ((a) + (b))']],
    ['arithmetic', 'x = a << b', ['a << b → ((a) >> (b))']],
    ['await', 'await f()', ['await f() → (f())']],
    ['boolean', 'x = true', ['true → false']],
    ['boundary', 'x = a <= b', ['a <= b → ((a) < (b))']],
    ['chain', 'x = a?.b?.c', ['a?.b?.c → (a?.b.c)']],
    ['chain', 'x = a?.[0]', ['a?.[0] → (a[0])']],
    ['drop-left', 'x = a && b', ['a && b → (b)']],
    ['drop-right', 'x = a || b', ['a || b → (a)']],
    ['equality', 'x = a !== b', ['a !== b → ((a) === (b))']],
    ['if-false', 'if (a()) b()', ['a() → ((a()) && false)']],
    ['negate', 'x = a ? b : c', ['a → !(a)']],
    ['negate', 'while (a < b) c()', ['a < b → !(a < b)']],
    ['not', 'x = !a', ['!a → (a)']],
    ['nullish', 'x = a ?? b', ['a ?? b → (a)']],
    ['number', 'x = 60', ['60 → 61']],
    ['regex', 'x = /^a$/u', ['/^a$/u → /a$/u', '/^a$/u → /^a/u']],
    ['return', 'const f = () => a', ['a → (undefined)']],
    ['return', 'function f() { return a }', ['return a → return undefined']],
    ['return', 'function f() { for (;;) { if (a) { b(); return } } }', []],
    ['return', 'function f() { { b(); return; } c() }', []],
    ['return', 'function f() { switch (a) { case 1: return } b() }', ['return → ;']],
    ['spread', 'x = { ...a }', ['...a → ...{}']],
    ['spread', 'x = [...a]', ['...a → ...[]']],
    ['statement', 'f()', ['f() → ;']],
    ['string', "x = ['a', '']", ["'a' → ''", "'' → 'x'"]],
    ['string', 'x = `${a}.${b}`', ["`${a}.${b}` → ''"]],
    ['throw', 'throw a', ['throw a → ;']],
  ])('%s in %s', (operator, source, changes) => {
    expect(listChanges(source, operator)).toEqual(changes)
  })
})

describe('a place is left out', () => {
  test.each([
    ['negate', 'if (!a) b()', 'another operator negates it'],
    ['negate', 'if (a === b) c()', 'another operator inverts it'],
    ['statement', 'if (a) b()', 'the condition that is false removes it'],
    ['statement', 'if (a) { b() }', 'the condition that is false removes the block'],
    ['throw', 'if (a) throw b', 'the condition that is false removes it'],
    ['await', 'async function f() { return await g() }', 'the caller awaits the promise'],
    ['await', 'const f = async () => await g()', 'the caller awaits the promise'],
    ['arithmetic', "x = 'a' + b", 'a difference is not a text'],
    ['return', 'const f = () => undefined', 'it is the same'],
    ['return', 'const f = () => true', 'another operator inverts it'],
    ['string', "import a from 'a'", 'it names a module'],
    ['string', "x = { 'a-b': 1 }", 'it is the name of a member'],
    ['string', "throw new Error('the limit is reached')", 'people read it'],
    ['string', "const message = 'the limit is reached'", 'people read it'],
    ['string', "log.error('the mail was not sent')", 'people read it'],
    ['string', "type A = 'a'; let a: A", 'types do not run'],
    ['statement', "'use strict'", 'it is a directive'],
    ['statement', 'class A extends B { constructor() { super() } }', 'a class needs it'],
    ['chain', 'delete a?.b', 'it must stay a reference'],
  ])('%s in %s: %s', (operator, source) => {
    expect(listChanges(source, operator)).toEqual([])
  })

  test('a returned promise is awaited for its failure within a try statement', () => {
    const source = 'async function f() { try { return await g() } catch { return 1 } }'
    expect(listChanges(source, 'await')).toEqual(['await g() → (g())'])
  })

  test('the code of an error is not a message', () => {
    expect(listChanges("throw new AuthError('Csrf', 'the field is missing')", 'string')).toEqual([
      "'Csrf' → ''",
    ])
  })
})

test('a mutant names its lines and the functions around it', () => {
  const source = 'const a = 1\nclass B {\n  c() {\n    return [1,\n      2]\n  }\n}\n'
  const found = listMutants('sample.ts', source).find(({ operator }) => operator === 'return')
  expect(found).toMatchObject({ line: 4, lastLine: 5, within: 'B.c', lineText: 'return [1,' })
})

test('a source that is not TypeScript is refused with its name', () => {
  expect(() => listMutants('sample.ts', 'const = 1')).toThrow('sample.ts: ')
})

test('a mutant can be sent to another process, whatever the source has', () => {
  const mutants = listMutants('sample.ts', 'const f = (n) => n > 10n && n < 20n')
  expect(mutants.some(({ operands }) => operands !== undefined)).toBe(true)
  expect(JSON.stringify(mutants)).toContain('10n')
})
