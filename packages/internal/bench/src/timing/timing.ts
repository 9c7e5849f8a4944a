import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { BenchOptions } from '../options.ts'
import { formatTable, median } from '../output.ts'
import { Answers, compareAnswers } from './answers.ts'
import { computeLargestT, computeWelchT, LIMIT } from './statistics.ts'
import { actions, createSubject } from './subject.ts'
import type { TimedSubject } from './subject.ts'

/** One class of requests: known or unknown email addresses. */
interface TimedClass {
  readonly answers: Answers
  /** Microseconds. */
  readonly times: number[]
  readonly getEmail: () => string
}

/** Requests per email address: far below the hundred failures after which passwords are refused (I-55.11). */
const REQUESTS_PER_EMAIL = 5

/** Measures and prints whether an answer, or its time, reveals that an email address has a user. */
export async function run({
  quick,
  requests = quick ? 10 : 10_000,
}: BenchOptions): Promise<string> {
  const rows = await measureSubject(await createSubject(), requests)
  const head = ['median in us', 'known', 'unknown', 't', 'largest |t|', `< ${LIMIT}`, 'differs in']
  return `${requests} requests for known and as many for unknown email addresses.

${formatTable([head, ...rows])}`
}

/** Measures all actions, and a control, which compares unknown email addresses with others. */
async function measureSubject(subject: TimedSubject, requests: number): Promise<string[][]> {
  const create = (): (() => string) => cycle(createEmails(requests))
  const known = createEmails(requests)
  for (const email of known) await subject.register(email)
  const rows: string[][] = []
  const [control = {}] = Object.values(actions)
  for (const [action, fields] of Object.entries(actions)) {
    const row = await measureAction(subject, fields, [cycle(known), create()], requests)
    rows.push([action, ...row])
  }
  const row = await measureAction(subject, control, [create(), create()], requests)
  return [...rows, ['control, unknown twice', ...row]]
}

/** The requests of both classes alternate in random order, so that a drift of the machine affects both. */
async function measureAction(
  subject: TimedSubject,
  fields: Readonly<Record<string, string>>,
  emails: readonly [known: () => string, unknown: () => string],
  requests: number,
): Promise<string[]> {
  const classes = emails.map((getEmail) => ({ answers: new Answers(), times: [], getEmail }))
  const [known, unknown] = classes as unknown as readonly [TimedClass, TimedClass]
  // The first tenth warms up.
  for (let i = -Math.ceil(requests / 10); i < requests; i++) {
    for (const each of Math.random() < 0.5 ? [known, unknown] : [unknown, known]) {
      const time = await measureRequest(subject, fields, each)
      if (i >= 0) each.times.push(time)
    }
  }
  const [a, b] = [known.times, unknown.times]
  const largest = computeLargestT(a, b)
  return [
    ...[median(a), median(b), computeWelchT(a, b), largest].map((figure) => figure.toFixed(1)),
    largest < LIMIT ? 'yes' : 'NO',
    compareAnswers(known.answers, unknown.answers),
  ]
}

/** Returns the microseconds until the body is read. */
async function measureRequest(
  { answer, mailbox, submit }: TimedSubject,
  fields: Readonly<Record<string, string>>,
  { answers, getEmail }: TimedClass,
): Promise<number> {
  const email = getEmail()
  const request = submit({ ...fields, email })
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

function createEmails(requests: number): string[] {
  return Array.from({ length: Math.ceil((requests * 1.1) / REQUESTS_PER_EMAIL) }, createEmail)
}

/** Creates email addresses of one length: it must not distinguish the classes. */
function createEmail(): string {
  return `${randomBytes(8).toString('hex')}@mail.example`
}

function cycle(emails: readonly string[]): () => string {
  let next = 0
  return () => emails[next++ % emails.length] ?? ''
}
