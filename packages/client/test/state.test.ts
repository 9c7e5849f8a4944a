import { describe, expect, test } from 'vitest'
import {
  applyResult,
  createState,
  getFingerprint,
  getNextReadTime,
  startRead,
} from '../src/state.ts'
import type { StoreState } from '../src/state.ts'
import type { TransportResult } from '../src/transport.ts'
import { alice } from './support/fake-page.ts'

type Session = typeof alice

const now = Date.parse('2026-01-01T00:00:00.000Z')
const expiry = Date.parse(alice.expires)
const found: TransportResult = { ok: true, body: { ...alice } }
const none: TransportResult = { ok: true, body: {} }
const failure: TransportResult = { ok: false, error: 'Unavailable', message: '', status: 503 }

/** Creates a state that throws if a transition changes it. */
function createFrozenState(
  session: Session | null | undefined,
  changes: Partial<StoreState<Session>> = {},
): StoreState<Session> {
  const state = { ...createState({ session }, now), ...changes }
  Object.freeze(state.snapshot)
  return Object.freeze(state)
}

describe('applyResult', () => {
  test('keeps the snapshot if the same error or the same session is applied again', () => {
    const failed = applyResult(createFrozenState(alice), 1, failure)
    expect(applyResult(failed, 2, failure).snapshot).toBe(failed.snapshot)
    const read = applyResult(failed, 2, found)
    expect(applyResult(read, 3, found).snapshot).toBe(read.snapshot)
  })

  test('keeps the session object when an error is added', () => {
    const { snapshot } = applyResult(createFrozenState(alice), 1, failure)
    expect(snapshot).toEqual({ status: 'authenticated', session: alice, error: 'Unavailable' })
    expect(snapshot.session).toBe(alice)
  })

  test('counts consecutive failures and clears the announcement', () => {
    const state = startRead(createFrozenState(null, { failures: 3 }), now, 'fingerprint')
    expect(state.announced).toBe('fingerprint')
    expect(applyResult(state, 1, none)).toMatchObject({ failures: 0, announced: undefined })
    expect(applyResult(state, 1, failure)).toMatchObject({ failures: 4, announced: undefined })
  })

  test('does not change the state that it is given', () => {
    const state = createFrozenState(undefined)
    for (const result of [found, none, failure]) applyResult(state, 1, result)
    expect(state).toEqual(createState({ session: undefined }, now))
  })
})

describe('getNextReadTime', () => {
  const refetch = { refetchInterval: 60 }
  const late = { readAt: expiry + 5000 }

  test.each([
    ['without a session', createFrozenState(null, { refetch }), Infinity],
    ['before the first read', createFrozenState(undefined, { refetch }), Infinity],
    ['one second after the expiry', createFrozenState(alice), expiry + 1000],
    ['after refetchInterval', createFrozenState(alice, { refetch }), now + 60_000],
    [
      'at the expiry, if refetchInterval ends later',
      createFrozenState(alice, { refetch: { refetchInterval: 7200 } }),
      expiry + 1000,
    ],
    [
      'a minute after a read that returned an expired session',
      createFrozenState(alice, late),
      late.readAt + 60_000,
    ],
    ['never for an invalid expiry', createFrozenState({ ...alice, expires: 'soon' }), Infinity],
    [
      'after refetchInterval for an invalid expiry',
      createFrozenState({ ...alice, expires: 'soon' }, { refetch }),
      now + 60_000,
    ],
    [
      'at the retry, if the last read failed',
      applyResult(createFrozenState(alice, { refetch }), 1, failure),
      now + 2000,
    ],
  ])('%s', (_name, state, expected) => {
    expect(getNextReadTime(state)).toBe(expected)
  })
})

describe('getFingerprint', () => {
  const fingerprint = getFingerprint(createFrozenState(alice).snapshot)

  test('is equal for equal sessions, with or without an error', () => {
    const copy = createFrozenState(structuredClone(alice))
    expect(getFingerprint(copy.snapshot)).toBe(fingerprint)
    expect(getFingerprint(applyResult(copy, 1, failure).snapshot)).toBe(fingerprint)
  })

  test('differs between a session, no session and an unknown session', () => {
    const sessions = [alice, { ...alice, expires: '' }, null, undefined]
    const fingerprints = sessions.map((s) => getFingerprint(createFrozenState(s).snapshot))
    expect(new Set(fingerprints).size).toBe(4)
  })
})
