import { provesUser } from '../lib/proves-user.ts'
import { getCarried } from '../kernel/context.ts'
import type { Context, ProviderInput } from '../kernel/context.ts'
import { startLimit } from '../kernel/gates.ts'
import { redirect, text, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { findFlow } from '../sign-in/find-flow.ts'
import { openPostedCallback } from '../sign-in/posted-callback.ts'
import { runCallback } from '../sign-in/run-callback.ts'
import { getStorageCode } from '../sign-in/storage-code.ts'
import { startSignIn } from './signin.ts'

/** `GET /callback/:provider`: the return from the identity provider, or a link of a message. */
export function receiveCallback(ctx: Context, input: ProviderInput): Reply | Promise<Reply> {
  const { provider } = input
  const answers = getCarried(provider)?.answers
  if (answers) return answers.receive(ctx, input)
  return provider.outOfBand
    ? getStorageCode(ctx.service, provider).receiveLink(ctx, input)
    : receiveRedirect(ctx, input)
}

/** `POST /callback/:provider` with a CSRF token: a callback that one of our pages posts. */
export async function postCallback(ctx: Context, input: ProviderInput): Promise<Reply> {
  const answers = getCarried(input.provider)?.answers
  if (answers) return answers.post(ctx, input)
  // next-auth clients post credentials here (I-43): a sign-in begins (I-32).
  if (provesUser(input.provider)) {
    await startLimit(ctx)
    return startSignIn(ctx, input)
  }
  return input.provider.outOfBand
    ? getStorageCode(ctx.service, input.provider).postLink(ctx, input)
    : receiveForm(ctx, input)
}

/** `HEAD /callback/:provider`: says that the route exists (I-5). */
export function receiveHead(): Reply {
  return text(200, '')
}

/** Receives the identity provider's redirect, or our own redirect after a posted callback (I-28). */
async function receiveRedirect(ctx: Context, { provider, query }: ProviderInput): Promise<Reply> {
  const id = query.get('return')
  const { params, spent } =
    id === undefined
      ? { params: new URL(ctx.request.url).searchParams, spent: [] }
      : await openPostedCallback(ctx, provider, id)
  const found = params ? await findFlow(ctx, provider, params) : noParams
  // Back and reload send a callback again: the user is signed in already (I-21.10).
  const isGone = 'problem' in found && found.isGone === true
  if (isGone && (await ctx.readSession()).session) {
    return withCookies(redirect(ctx.baseUrl.origin), spent)
  }
  return runCallback(ctx, { provider, params: params ?? new URLSearchParams(), found, spent })
}

const noParams = {
  spec: undefined,
  problem: 'the browser has no posted callback',
  isGone: true,
} as const

async function receiveForm(ctx: Context, { provider, body }: ProviderInput): Promise<Reply> {
  const params = new URLSearchParams([...body.fields])
  const found = await findFlow(ctx, provider, params)
  return runCallback(ctx, { provider, params, found, spent: [] })
}
