import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSharedTask } from '../src/lib/shared-task.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

const waiting = { monotonic: () => Date.now(), sleep }

const after = async <T>(milliseconds: number, value: T): Promise<T> => {
  await sleep(milliseconds)
  return value
}

test('concurrent callers share one run and its value', async () => {
  const share = createSharedTask<string>()
  const task = vi.fn(() => after(300, 'value'))
  const results = Promise.all(Array.from({ length: 50 }, () => share(task, waiting)))
  await vi.advanceTimersByTimeAsync(1000)
  expect(new Set(await results)).toEqual(new Set(['value']))
  expect(task).toHaveBeenCalledTimes(1)
})

test('concurrent callers share a failure, and the next caller runs the task again', async () => {
  const share = createSharedTask<string>()
  const error = new Error('no answer')
  const task = vi.fn(async () => {
    await sleep(300)
    throw error
  })
  const results = Promise.allSettled(Array.from({ length: 50 }, () => share(task, waiting)))
  await vi.advanceTimersByTimeAsync(1000)
  expect(new Set((await results).map((each) => each.status === 'rejected' && each.reason))).toEqual(
    new Set([error]),
  )
  expect(task).toHaveBeenCalledTimes(1)
  expect(await share(async () => 'value', waiting)).toBe('value')
})

test('a lost run, such as the run of a cancelled request on Workers, is replaced once', async () => {
  const share = createSharedTask<string>()
  void share(() => new Promise(() => undefined), waiting)
  const task = vi.fn(() => after(300, 'value'))
  const results = Promise.all(Array.from({ length: 50 }, () => share(task, waiting)))
  await vi.advanceTimersByTimeAsync(4900)
  expect(task).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1000)
  expect(new Set(await results)).toEqual(new Set(['value']))
  expect(task).toHaveBeenCalledTimes(1)
})

test('a caller whose deadline passes stops waiting and runs nothing', async () => {
  const share = createSharedTask<string>()
  void share(() => new Promise(() => undefined), waiting)
  const task = vi.fn(() => after(300, 'value'))
  const late = share(task, {
    ...waiting,
    sleep: () => Promise.reject(new Error('the deadline has passed')),
  })
  await expect(late).rejects.toThrow('the deadline has passed')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(task).not.toHaveBeenCalled()
})
