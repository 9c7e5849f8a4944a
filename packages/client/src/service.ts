import type { ErrorCode } from '@latchkey/core'

/** An action that was not done, and why. */
export interface Failure {
  readonly ok: false
  /** `Unavailable` also where nothing has answered. */
  readonly error: ErrorCode
  /** A sentence for people, in the language of their browser wherever the service could say it. */
  readonly message: string
  /** The HTTP status; 0 where nothing has answered. */
  readonly status: number
  /** The service's page that tells of it. */
  readonly url?: string
}

/** What the service has answered. */
export type Answer = { readonly ok: true; readonly body: Body } | Failure

type Body = Readonly<Record<string, unknown>>

/** A {@link Failure} that is thrown: the service could not be asked, or refused. */
export class ClientError extends Error implements Failure {
  declare readonly ok: false
  declare readonly error: ErrorCode
  declare readonly status: number
  declare readonly url?: string

  constructor(failure: Failure) {
    super(failure.message)
    Object.assign(this, failure)
  }
}

/** The service's routes, as a page asks them. Nothing rejects. */
export interface Service {
  readonly get: (path: string) => Promise<Answer>
  readonly post: (path: string, fields: object) => Promise<Answer>
}

/** Milliseconds: longer than the service itself waits for anything. */
const TIMEOUT = 30_000

export function createService(basePath: string, request: typeof fetch): Service {
  const get = async (path: string, init?: RequestInit): Promise<Answer> => {
    let status = 0
    try {
      // Safari learnt `timeout` in version 16.
      const signal = AbortSignal.timeout?.(TIMEOUT) ?? null
      const response = await request(basePath + path, { ...init, signal })
      status = response.status
      // Of `null` this throws: the service answers with objects alone.
      const { ...body } = (await response.json()) as Body
      return response.ok ? { ok: true, body } : refused(status, body)
    } catch {
      return refused(status, {})
    }
  }
  const accept = 'application/json'
  const post = async (path: string, fields: object, isSecondTry = false): Promise<Answer> => {
    const csrf = await get('/csrf')
    if (!csrf.ok) return csrf
    const answer = await get(path, {
      method: 'POST',
      headers: { accept, 'content-type': accept },
      body: JSON.stringify({ ...fields, ...csrf.body }),
    })
    // Another tab has signed in or out meanwhile: the token is a new one, and nothing has happened.
    const isStale = !answer.ok && answer.error === 'Csrf' && !isSecondTry
    return isStale ? post(path, fields, true) : answer
  }
  return { get, post }
}

/** An answer that is not the service's own, as that of a proxy, says nothing but its status. */
function refused(status: number, body: object): Failure {
  const error = status >= 400 && status < 500 ? 'Default' : 'Unavailable'
  return { error, message: 'The service does not answer.', ...body, ok: false, status }
}

/** What an answer holds, or a {@link ClientError}. */
export async function bodyOf(asked: Promise<Answer>): Promise<Body> {
  const answer = await asked
  if (answer.ok) return answer.body
  throw new ClientError(answer)
}
