import { describe, expect, test, vi } from 'vitest'
import { createReloadable } from '../src/index.ts'
import type { Generation } from '../src/index.ts'

interface Manual extends Generation<[]> {
  readonly close: ReturnType<typeof vi.fn<() => Promise<void>>>
  /** Answers the oldest open request. */
  readonly answer: () => void
}

/** A generation whose requests are answered by hand. */
function create(name: string): Manual {
  const open: (() => void)[] = []
  return {
    handler: () => new Promise((resolve) => void open.push(() => resolve(new Response(name)))),
    close: vi.fn(async () => undefined),
    answer: () => open.shift()?.(),
  }
}

const request = new Request('http://localhost/')

async function getText(response: Promise<Response> | Response): Promise<string> {
  return (await response).text()
}

describe('a reloadable handler', () => {
  test('answers open requests with the previous generation, and closes it after them', async () => {
    const [one, two] = [create('one'), create('two')]
    const service = createReloadable(one)
    const before = [service.handler(request), service.handler(request)]
    const closed = service.replace(two)
    const after = service.handler(request)
    two.answer()
    expect(await getText(after)).toBe('two')
    one.answer()
    expect(await getText(before[0] ?? Response.error())).toBe('one')
    expect(one.close).not.toHaveBeenCalled()
    one.answer()
    expect(await getText(before[1] ?? Response.error())).toBe('one')
    await closed
    expect(one.close).toHaveBeenCalledTimes(1)
    expect(two.close).not.toHaveBeenCalled()
    await service.close()
    expect(two.close).toHaveBeenCalledTimes(1)
  })

  test('a generation without open requests is closed immediately', async () => {
    const [one, two] = [create('one'), create('two')]
    const service = createReloadable(one)
    const answered = service.handler(request)
    one.answer()
    await answered
    await service.replace(two)
    expect(one.close).toHaveBeenCalledTimes(1)
  })

  test('a request that fails counts as finished', async () => {
    const close = vi.fn(async () => undefined)
    const service = createReloadable({ handler: () => Promise.reject(new Error('broken')), close })
    await expect(service.handler(request)).rejects.toThrow('broken')
    await service.close()
    expect(close).toHaveBeenCalledTimes(1)
  })
})
