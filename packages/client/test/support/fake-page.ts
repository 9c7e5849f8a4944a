import { vi } from 'vitest'
import { createClient } from '@latchkey/client'
import type { Client, ClientOptions } from '@latchkey/client'
import type { DefaultSession } from '@latchkey/core'

/** A session that ends one hour after the start of the fake clock. */
export const alice: DefaultSession = {
  user: { id: '1', name: 'Alice', email: 'alice@example.com', emailVerified: true, image: null },
  expires: '2026-01-01T01:00:00.000Z',
}

/** A request that waits for its response. */
interface PendingRequest {
  readonly method: string
  readonly path: string
  readonly body: Record<string, unknown>
  readonly respond: (body: unknown, status?: number) => Promise<void>
  readonly fail: () => Promise<void>
}

/** The globals that the client uses, and a clock that the test advances. */
export interface FakePage {
  readonly window: EventTarget
  readonly document: EventTarget & { visibilityState: DocumentVisibilityState }
  readonly location: { href: string; reload: () => void }
  /** All requests, oldest first. */
  readonly requests: PendingRequest[]
  readonly createClient: (options?: ClientOptions<DefaultSession>) => Client<DefaultSession>
  /** What the console's `error` was called with, as one text a call. */
  readonly errors: string[]
  /** Responds to the newest request. */
  readonly respond: (body: unknown, status?: number) => Promise<void>
  readonly dispatch: (eventType: string) => void
}

const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] as const

/** Replaces the globals, until `vi.unstubAllGlobals` and `vi.useRealTimers`. */
export function installFakePage(): FakePage {
  const now = Date.parse('2026-01-01T00:00:00.000Z')
  vi.useFakeTimers({ now, toFake: [...toFake] })
  const window = new EventTarget()
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' as const })
  const errors: string[] = []
  vi.spyOn(console, 'error').mockImplementation((...words) => void errors.push(words.join(' ')))
  const location = { href: 'https://app.example/page', reload: vi.fn() }
  vi.stubGlobal('document', document)
  vi.stubGlobal('location', location)
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window))
  const requests: PendingRequest[] = []
  const fetch: typeof globalThis.fetch = (path, init = {}) =>
    new Promise((resolve, reject) =>
      requests.push(createRequest(path as string, init, resolve, reject)),
    )
  return {
    window,
    document,
    location,
    requests,
    errors,
    createClient: (options = {}) => createClient({ fetch, ...options }),
    respond: (body, status) => (requests.at(-1) as PendingRequest).respond(body, status),
    dispatch(eventType) {
      // The event of a document reaches the window only in browsers that bubble it.
      const target = eventType === 'visibilitychange' ? document : window
      target.dispatchEvent(new Event(eventType))
    },
  }
}

function createRequest(
  path: string,
  { method = 'GET', body }: RequestInit,
  resolve: (response: Response) => void,
  reject: (reason: Error) => void,
): PendingRequest {
  return {
    method,
    path,
    body: parseBody((body as string | undefined) ?? '{}'),
    async respond(content, status = 200) {
      const isText = typeof content === 'string'
      resolve(isText ? new Response(content, { status }) : Response.json(content, { status }))
      await flushTasks()
    },
    async fail() {
      reject(new TypeError('Failed to fetch'))
      await flushTasks()
    },
  }
}

/** Parses JSON or a form. */
function parseBody(text: string): Record<string, unknown> {
  if (!text.startsWith('{')) return Object.fromEntries(new URLSearchParams(text))
  return JSON.parse(text) as Record<string, unknown>
}

/** Runs the tasks and microtasks that are due. */
export async function flushTasks(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}
