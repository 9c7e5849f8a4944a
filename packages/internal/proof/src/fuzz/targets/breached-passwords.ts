import { createHash } from 'node:crypto'
import { breachedPasswords } from '@latchkey/passwords'
import type { Draw } from '../draw.ts'
import { check, defineTarget } from '../target.ts'
import type { Target } from '../target.ts'
import { drawText, drawTextEdit, editText } from '../texts.ts'
import type { TextEdit } from '../texts.ts'

interface Case {
  readonly password: string
  readonly status: number
  /** The lines of the answer; `own` is the suffix of the password. */
  readonly lines: readonly { readonly suffix: string; readonly count: string }[]
  readonly newline: string
  readonly edits: readonly TextEdit[]
  /** What happens instead of an answer. */
  readonly fault: 'none' | 'no-body' | 'huge' | 'unreachable' | 'breaks-off'
}

const OWN = 'own'

/** Answers of the range API of Have I Been Pwned. */
export const target: Target = defineTarget<Case>({
  name: 'breached-passwords',
  draw: (draw) => ({
    password: draw.once(3) ? drawText(draw) : 'correct horse',
    status: draw.once(6) ? draw.pick([204, 206, 301, 404, 429, 500, 503]) : 200,
    lines: draw.list(8, drawLine),
    newline: draw.pick(['\r\n', '\n']),
    edits: draw.once(3) ? draw.list(2, drawTextEdit) : [],
    fault: draw.once(6)
      ? draw.pick(['no-body', 'huge', 'unreachable', 'breaks-off'] as const)
      : 'none',
  }),
  open: async () => ({ run }),
})

function drawLine(draw: Draw): Case['lines'][number] {
  const digits = () => draw.pick(Array.from('0123456789ABCDEF'))
  const suffix = draw.once(2) ? OWN : Array.from({ length: 35 }, digits).join('')
  return {
    suffix,
    count: draw.pick(['1', '0', '00', '37', '-1', '', 'x', '1e3', '9999999999', ' 1']),
  }
}

async function run(given: Case): Promise<void> {
  const hash = createHash('sha1')
    .update(given.password.normalize('NFC'))
    .digest('hex')
    .toUpperCase()
  const suffix = hash.slice(5)
  const rows = given.lines.map(
    (line) => `${line.suffix === OWN ? suffix : line.suffix}:${line.count}`,
  )
  const text = given.edits.reduce(editText, rows.join(given.newline))
  const warnings: string[] = []
  const isBreached = breachedPasswords({
    fetch: async (url) => {
      check(url === `https://api.pwnedpasswords.com/range/${hash.slice(0, 5)}`, `URL: ${url}`)
      return respond(given, text)
    },
  })
  const log = {
    warn: (message: string, details: object) =>
      void warnings.push(message + JSON.stringify(details)),
  }
  const found = await isBreached(given.password, log)
  const isAnswered = given.status === 200 && given.fault === 'none'
  check(!found || isAnswered, 'a password is known by an answer that failed')
  if (found) check(isListed(text, suffix), `a password is known by ${JSON.stringify(text)}`)
  // White space at the end is ignored.
  const isClear = isAnswered && /^(?:[\dA-F]{35}:\d{1,10}(?:\r?\n|\s*$))+$/.test(text)
  if (isClear && isListed(text, suffix))
    check(found || !isHashed(given.password), 'a known password is not found')
  check(
    found || isClear || !isHashed(given.password) || warnings.length === 1,
    'a failed check is not logged',
  )
  for (const line of warnings) {
    const isSecret = line.includes(suffix) || line.includes(hash.slice(0, 5))
    check(!isSecret, `the log says what was asked: ${line}`)
  }
}

/** The texts that a hasher takes: no user has another one. */
function isHashed(password: string): boolean {
  return password !== '' && !password.includes('\0') && password.isWellFormed()
}

function isListed(text: string, suffix: string): boolean {
  return text
    .split(/\r?\n/)
    .some((line) => line.startsWith(`${suffix}:`) && Number(line.slice(36)) > 0)
}

async function respond({ status, fault }: Case, text: string): Promise<Response> {
  if (fault === 'unreachable') throw new TypeError('fetch failed')
  if (fault === 'no-body' || status === 204) return new Response(null, { status })
  if (fault === 'huge') return new Response(text + ' '.repeat(2 ** 20), { status })
  if (fault === 'none') return new Response(text, { status })
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      controller.error(new TypeError('terminated'))
    },
  })
  return new Response(body, { status })
}
