import { describe, expect, test } from 'vitest'
import { BrowserModel } from '../src/model.ts'

const ada = { user: 'ada', data: 0 }

/** A browser that is signed in as Ada. */
function signedIn(): BrowserModel {
  const model = new BrowserModel('ada')
  model.signIn('done')
  return model
}

describe('the model of a browser', () => {
  test('agrees with a sign-in, an update and a sign-out', () => {
    const model = signedIn()
    expect(model.read(ada)).toBeUndefined()
    model.update(7, 'done')
    expect(model.read({ ...ada, data: 7 })).toBeUndefined()
    model.end('done')
    expect(model.read(undefined)).toBeUndefined()
  })

  test('agrees with both outcomes of a request without an answer', () => {
    for (const observed of [ada, undefined]) {
      const model = signedIn()
      model.end('unknown')
      expect(model.read(observed)).toBeUndefined()
    }
    for (const data of [0, 7]) {
      const model = signedIn()
      model.update(7, 'unknown')
      expect(model.read({ ...ada, data })).toBeUndefined()
    }
  })

  test.for<[string, (model: BrowserModel) => string | undefined, string]>([
    ['a lost session', (model) => model.read(undefined), 'the session of ada is lost'],
    [
      'a session of another user',
      (model) => model.read({ user: 'bob', data: 0 }),
      'the browser of ada is signed in as bob',
    ],
    [
      'a session that works after its end',
      (model) => {
        model.end('done')
        return model.read(ada)
      },
      'a session of ada that has ended works',
    ],
    [
      'a session that works again after a read without it',
      (model) => {
        model.end('unknown')
        model.read(undefined)
        return model.read(ada)
      },
      'a session of ada that has ended works',
    ],
    [
      'an update that was acknowledged and is lost',
      (model) => {
        model.update(7, 'done')
        return model.read(ada)
      },
      'an update of ada is lost: expected 7, found 0',
    ],
  ])('names %s', ([, observe, problem]) => {
    const model = signedIn()
    expect(model.read(ada)).toBeUndefined()
    expect(observe(model)).toBe(problem)
  })
})
