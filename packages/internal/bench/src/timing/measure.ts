import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { AnswerCollection, compareAnswers } from './answers.ts'
import type { Equality } from './answers.ts'
import type { ActionId, TimedAction, TimedSubject } from './subject.ts'

/** The times of both classes of requests, in microseconds. */
export interface Timing {
  readonly subject: string
  readonly action: ActionId | 'control'
  readonly known: readonly number[]
  readonly unknown: readonly number[]
  readonly equal: Equality
}

export interface TimingOptions {
  /** Requests of each class. */
  readonly requests: number
}

/** One class of requests: known or unknown email addresses. */
interface TimedClass {
  readonly answers: AnswerCollection
  readonly times: number[]
  readonly getEmail: () => string
}

/** Requests per email address: far below the hundred failures after which passwords are refused (I-55.11). */
const REQUESTS_PER_EMAIL = 5
/** The share of further requests before the measured ones. */
const WARM_UP = 0.1

/**
 * Measures all actions of a subject, and a control, which compares unknown email addresses with others. The requests of both
 * classes alternate in random order, so that a drift of the machine affects both.
 */
export async function measureSubject(
  subject: TimedSubject,
  { requests }: TimingOptions,
): Promise<Timing[]> {
  const count = Math.ceil((requests * (1 + WARM_UP)) / REQUESTS_PER_EMAIL)
  const known = createEmails(count)
  for (const email of known) await subject.register(email)
  const timings: Timing[] = []
  for (const action of subject.actions) {
    const unknown = action.storesUser ? createEmail : cycle(createEmails(count))
    const classes = [createClass(cycle(known)), createClass(unknown)] as const
    timings.push(await measureAction(subject, action, classes, requests))
  }
  const [first] = subject.actions
  if (!first || first.storesUser) return timings
  const control = [createClass(cycle(createEmails(count))), createClass(cycle(createEmails(count)))]
  const timing = await measureAction(subject, first, control, requests)
  return [...timings, { ...timing, action: 'control' }]
}

async function measureAction(
  subject: TimedSubject,
  action: TimedAction,
  classes: readonly TimedClass[],
  requests: number,
): Promise<Timing> {
  const warmUp = Math.ceil(requests * WARM_UP)
  for (let i = -warmUp; i < requests; i++) {
    for (const each of Math.random() < 0.5 ? classes : classes.toReversed()) {
      const time = await measureRequest(subject, action, each)
      if (i >= 0) each.times.push(time)
    }
  }
  const [known, unknown] = classes as readonly [TimedClass, TimedClass]
  return {
    subject: subject.title,
    action: action.id,
    known: known.times,
    unknown: unknown.times,
    equal: compareAnswers(known.answers, unknown.answers),
  }
}

/** Returns the microseconds until the body is read. */
async function measureRequest(
  { answer, mailbox }: TimedSubject,
  { createRequest }: TimedAction,
  { answers, getEmail }: TimedClass,
): Promise<number> {
  const email = getEmail()
  const request = createRequest(email)
  const emails = mailbox.received
  // What the previous request has left to do must not count for this one.
  await setImmediate()
  const startedAt = performance.now()
  const response = await answer(request)
  const body = await response.text()
  const time = performance.now() - startedAt
  answers.emails += mailbox.received - emails
  answers.add(response, body, email)
  return time * 1000
}

function createClass(getEmail: () => string): TimedClass {
  return { answers: new AnswerCollection(), times: [], getEmail }
}

function createEmails(count: number): string[] {
  return Array.from({ length: count }, createEmail)
}

/** Creates email addresses of one length: it must not distinguish the classes. */
function createEmail(): string {
  return `${randomBytes(8).toString('hex')}@mail.example`
}

function cycle(emails: readonly string[]): () => string {
  let next = 0
  return () => emails[next++ % emails.length] ?? ''
}
