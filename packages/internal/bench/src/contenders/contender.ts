import type { WorkId } from '../work.ts'

export type Answer = (request: Request) => Promise<Response>

/** The work that a contender, an implementation of the sign-in service, can do. */
export type Tasks = Readonly<Partial<Record<WorkId, Task>>>

/** How a contender does one piece of work. */
export interface Task {
  /** Does the work once and returns the last answer. */
  readonly run: () => Promise<Response>
  /** @throws AssertionError if the answer is wrong */
  readonly check: (response: Response) => Promise<void>
  /** Of work that is one request: creates it, and answers it. */
  readonly request?: () => Request
  readonly answer?: Answer
}

/** The claims of the user whose session every contender serves. */
export const claims = {
  sub: 'github:583231',
  name: 'Ada Lovelace',
  email: 'ada@analytical.example',
  picture: 'https://avatars.githubusercontent.com/u/583231?v=4',
} as const

/** The origin of the services: of one that listens, its parent sets it. */
export const ORIGIN: string = process.env['BENCH_ORIGIN'] ?? 'https://app.example'
export const basePath = '/api/auth'
export const BASE: string = ORIGIN + basePath
export const secret = 'thirty-two bytes of a secret for measurements only'
export const client = { clientId: 'client-of-the-bench', clientSecret: 'kept secret' } as const

/** Creates a task of one request. A `Request` is created for each answer, as a host does. */
export function createTask(answer: Answer, request: () => Request, check: Task['check']): Task {
  return { run: () => answer(request()), check, request, answer }
}
