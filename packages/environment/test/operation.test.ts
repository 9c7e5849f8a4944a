import { EnvironmentError, readEnvironment, readOperation } from '@latchkey/environment'
import type { Environment, OperationSettings } from '@latchkey/environment'
import { describe, expect, test } from 'vitest'

function read(env: Environment): OperationSettings {
  return readEnvironment(env, readOperation)
}

describe('readOperation', () => {
  test('has defaults for everything', () => {
    expect(read({ AUTH_ENV_FILE: '/etc/latchkey.env' })).toEqual({
      databasePool: 10,
      sweepInterval: 3600,
      stopDelay: 0,
      log: { format: 'text', level: 'info' },
    })
  })

  test.each([
    [{ AUTH_DATABASE_POOL: '1' }, { databasePool: 1 }],
    [{ AUTH_SWEEP_INTERVAL: '0' }, { sweepInterval: 0 }],
    [{ AUTH_STOP_DELAY: '15' }, { stopDelay: 15 }],
    [{ AUTH_LOG_FORMAT: 'json' }, { log: { format: 'json', level: 'info' } }],
    [{ AUTH_LOG_LEVEL: 'warn' }, { log: { format: 'text', level: 'warn' } }],
  ])('%j', (env, expected) => expect(read(env)).toMatchObject(expected))

  test.each([
    ['AUTH_DATABASE_POOL', '0', 'must be a whole number from 1 to 1000'],
    ['AUTH_SWEEP_INTERVAL', '1h', 'must be a whole number from 0 to 86400'],
    ['AUTH_STOP_DELAY', '601', 'must be a whole number from 0 to 600'],
    ['AUTH_LOG_FORMAT', 'JSON', 'must be one of text, json'],
    ['AUTH_LOG_LEVEL', 'trace', 'must be one of error, warn, info, debug'],
  ])('%s=%s is refused', (variable, value, problem) => {
    expect(() => read({ [variable]: value })).toThrow(new EnvironmentError([{ variable, problem }]))
  })
})
