/** How an endpoint answers when it does not answer as it should. */
export type Answer =
  | 'html'
  | 'error-500'
  | 'hang'
  | 'endless'
  | 'huge'
  | 'redirect'
  | 'unreachable'
  | 'challenge'
  | 'challenge-echo'
  | 'error-echo'
  | 'empty'
  | 'cut-off'
  | 'array'
  | 'null'
  | 'form'
  | 'bare-secret'
  | 'no-content'

/** What an answer out of order is made of. */
export interface Misanswer {
  /** The answer that would have been right. */
  readonly right: Response
  readonly signal: AbortSignal | undefined
  /** What the request brought that is nobody else's business: a bad server repeats it. */
  readonly confidential: readonly string[]
}

/** A body with this many bytes too many passes the limit of 1 MiB. */
const HUGE = 1024 * 1024 + 1
const elsewhere = 'https://attacker.example'

/** One row per {@link Answer}. Where it can, it carries the right answer, so that only the fault refuses it. */
const answers: Readonly<Record<Answer, (given: Misanswer) => Response | Promise<Response>>> = {
  html: () => html(200),
  'error-500': ({ right }) => json(right, 500),
  hang: () => new Promise<never>(() => undefined),
  endless: async ({ right, signal }) =>
    new Response(dripping(await right.text(), signal), { headers: right.headers }),
  huge: async ({ right }) =>
    new Response((await right.text()) + ' '.repeat(HUGE), { headers: right.headers }),
  redirect: () => new Response(null, { status: 302, headers: { location: `${elsewhere}/` } }),
  unreachable: () => {
    throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  },
  challenge: () => challenge('the token is not good'),
  'challenge-echo': ({ confidential }) => challenge(`not good: ${confidential.join(' ')}`),
  'error-echo': ({ confidential }) =>
    Response.json(
      { error: 'invalid_grant', error_description: `not good: ${confidential.join(' ')}` },
      { status: 400 },
    ),
  empty: ({ right }) => new Response('', { headers: right.headers }),
  'cut-off': async ({ right }) =>
    new Response((await right.text()).slice(0, -1), { headers: right.headers }),
  array: async ({ right }) => Response.json([await right.json()]),
  null: () => Response.json(null),
  form: async ({ right }) =>
    new Response(new URLSearchParams((await right.json()) as Record<string, string>)),
  'bare-secret': ({ right, confidential }) =>
    new Response(confidential[0] ?? '', { headers: right.headers }),
  'no-content': () => new Response(null, { status: 204 }),
}

/** Answers out of order. */
export async function misanswer(answer: Answer, given: Misanswer): Promise<Response> {
  return answers[answer](given)
}

function html(status: number): Response {
  const page = '<!doctype html><title>Welcome</title><p>Sign in to the hotel network.'
  return new Response(page, { status, headers: { 'content-type': 'text/html' } })
}

async function json(right: Response, status: number): Promise<Response> {
  return new Response(await right.text(), { status, headers: right.headers })
}

function challenge(description: string): Response {
  const said = description.replaceAll(/["\\]/g, '')
  const header = `Bearer error="invalid_token", error_description="${said}"`
  const headers = { 'www-authenticate': header }
  return Response.json({ error: 'invalid_token' }, { status: 401, headers })
}

/** The text, and then a space now and then for as long as somebody reads. */
function dripping(text: string, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(text))
      signal?.addEventListener('abort', () => controller.error(signal.reason))
    },
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (!signal?.aborted) controller.enqueue(encoder.encode(' '))
    },
  })
}
