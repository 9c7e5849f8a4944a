import { vi } from 'vitest'
import { createClient } from '@latchkey/client'
import type { Client, ClientOptions } from '@latchkey/client'
import type { DefaultSession } from '@latchkey/core'

/** The session of {@link FakePage.answer}. */
export const alice: DefaultSession = {
  user: { id: '1', name: 'Alice', email: 'alice@example.com', image: null },
  expires: '2026-01-01T01:00:00.000Z',
}

/** Where fake time begins: an hour before the end of {@link alice}'s session. */
export const start: number = Date.parse('2026-01-01T00:00:00.000Z')

/** A request that waits for its answer. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Record<string, unknown>
  readonly answer: (body: unknown, status?: number) => Promise<void>
  readonly fail: () => Promise<void>
}

/** A window of which there is only what the client touches, with its clock in the test's hand. */
export interface FakePage {
  readonly window: EventTarget
  readonly document: { hidden: boolean }
  readonly location: { href: string; reload: () => void }
  /** Every request, oldest first. */
  readonly asked: Asked[]
  readonly client: (options?: ClientOptions<DefaultSession>) => Client<DefaultSession>
  /** Answers the newest request. */
  readonly answer: (body: unknown, status?: number) => Promise<void>
  readonly send: (type: string) => void
}

/** Puts it in the place of the globals; `vi.unstubAllGlobals` and `vi.useRealTimers` end it. */
export function fakePage(): FakePage {
  vi.useFakeTimers({ now: start, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const window = new EventTarget()
  const document = { hidden: false }
  const location = { href: 'https://app.example/page', reload: vi.fn() }
  vi.stubGlobal('document', document)
  vi.stubGlobal('location', location)
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
  const asked: Asked[] = []
  const request: typeof fetch = (target, init = {}) =>
    new Promise((resolve, reject) => asked.push(askedOf(target as string, init, resolve, reject)))
  return {
    window,
    document,
    location,
    asked,
    client: (options = {}) => createClient({ fetch: request, ...options }),
    answer: (body, status) => (asked.at(-1) as Asked).answer(body, status),
    send: (type) => void window.dispatchEvent(new Event(type)),
  }
}

function askedOf(
  path: string,
  { method = 'GET', body }: RequestInit,
  resolve: (response: Response) => void,
  reject: (reason: Error) => void,
): Asked {
  return {
    method,
    path,
    body: JSON.parse((body as string | undefined) ?? '{}') as Record<string, unknown>,
    async answer(content, status = 200) {
      const isText = typeof content === 'string'
      resolve(isText ? new Response(content, { status }) : Response.json(content, { status }))
      await settled()
    },
    async fail() {
      reject(new TypeError('Failed to fetch'))
      await settled()
    },
  }
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
