import { platformClock, sleep } from '@latchkey/core/unstable'

/** A fault in the response of an endpoint. */
export type ResponseFault =
  | 'html'
  | 'error-500'
  | 'hang'
  | 'endless'
  | 'huge'
  | 'redirect'
  | 'unreachable'
  | 'challenge'
  | 'challenge-echo'
  | 'wrong-secret'
  | 'error-echo'
  | 'empty'
  | 'cut-off'
  | 'array'
  | 'null'
  | 'form'
  | 'bare-secret'
  | 'no-content'
  | 'created'
  | 'latin1'

/** What a faulty response is made from. */
export interface ResponseFaultInput {
  /** The correct response. */
  readonly correct: Response
  /** The signal of the request. */
  readonly signal: AbortSignal | undefined
  /** Advances the service's clock by some milliseconds, if the test does. */
  readonly advance: ((milliseconds: number) => Promise<unknown>) | undefined
  /** The secrets of the request, which some servers repeat in their errors. */
  readonly secrets: readonly string[]
}

/** One byte more than the limit of 1 MiB, before the correct body is added. */
const HUGE_LENGTH = 1024 * 1024 + 1
/** Milliseconds, more than the default of every limit of I-26. */
const LATE = 15_000
const SECOND = 1000
const attacker = 'https://attacker.example'

/** If possible, a faulty response contains the correct one, so that the fault is the only reason to refuse it. */
const faults: Readonly<
  Record<ResponseFault, (input: ResponseFaultInput) => Response | Promise<Response>>
> = {
  html: () => createHtml(),
  'error-500': async ({ correct }) =>
    new Response(await correct.text(), { status: 500, headers: correct.headers }),
  async hang({ advance, signal }) {
    if (advance) await waitForAbort(advance, signal)
    return new Promise<never>(() => undefined)
  },
  endless: async ({ correct, signal, advance }) =>
    new Response(createEndlessBody(await correct.text(), signal, advance), {
      headers: correct.headers,
    }),
  huge: async ({ correct }) =>
    new Response((await correct.text()) + ' '.repeat(HUGE_LENGTH), { headers: correct.headers }),
  redirect: () => new Response(null, { status: 302, headers: { location: `${attacker}/` } }),
  unreachable: () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  },
  challenge: () => createChallenge('the token is invalid'),
  'challenge-echo': ({ secrets }) => createChallenge(`invalid: ${secrets.join(' ')}`),
  'wrong-secret': () =>
    Response.json(
      { error: 'invalid_client' },
      { status: 401, headers: { 'www-authenticate': 'Basic realm="token endpoint"' } },
    ),
  'error-echo': ({ secrets }) =>
    Response.json(
      { error: 'invalid_grant', error_description: `invalid: ${secrets.join(' ')}` },
      { status: 400 },
    ),
  empty: ({ correct }) => new Response('', { headers: correct.headers }),
  'cut-off': async ({ correct }) =>
    new Response((await correct.text()).slice(0, -1), { headers: correct.headers }),
  array: async ({ correct }) => Response.json([await correct.json()]),
  null: () => Response.json(null),
  form: async ({ correct }) => new Response(new URLSearchParams(await correct.json())),
  'bare-secret': ({ correct, secrets }) =>
    new Response(secrets[0] ?? '', { headers: correct.headers }),
  'no-content': () => new Response(null, { status: 204 }),
  created: async ({ correct }) =>
    new Response(await correct.text(), { status: 201, headers: correct.headers }),
  latin1: async ({ correct }) =>
    new Response(encodeLatin1(await correct.text()), { headers: correct.headers }),
}

/**
 * Advances the clock to the time limit of a request, and no further: it would move under the next request,
 * whose limits begin at different times then.
 */
async function waitForAbort(
  advance: NonNullable<ResponseFaultInput['advance']>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let waited = 0; waited < LATE; waited += SECOND) {
    if (signal?.aborted) return
    await advance(SECOND)
  }
}

/** Encodes a text as ISO 8859-1, which is not UTF-8 if a character is beyond ASCII. */
export function encodeLatin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

/**
 * Creates the response of an endpoint with a fault.
 *
 * @throws TypeError for `unreachable`, as `fetch` does
 */
export async function createFaultyResponse(
  fault: ResponseFault,
  input: ResponseFaultInput,
): Promise<Response> {
  return faults[fault](input)
}

/** The page of a captive portal. */
function createHtml(): Response {
  const page = '<!doctype html><title>Welcome</title><p>Sign in to the hotel network.'
  return new Response(page, { headers: { 'content-type': 'text/html' } })
}

/** RFC 6750 §3. */
function createChallenge(description: string): Response {
  const quotable = description.replaceAll(/["\\]/g, '')
  const header = `Bearer error="invalid_token", error_description="${quotable}"`
  const headers = { 'www-authenticate': header }
  return Response.json({ error: 'invalid_token' }, { status: 401, headers })
}

/** Streams the text, then spaces until the request is aborted. */
function createEndlessBody(
  text: string,
  signal: AbortSignal | undefined,
  advance: ResponseFaultInput['advance'],
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(text))
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    async pull(controller) {
      await (advance ? advance(SECOND) : sleep(platformClock, 20))
      if (!signal?.aborted) controller.enqueue(encoder.encode(' '))
    },
  })
}
