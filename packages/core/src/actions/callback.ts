import { tokenOf, userOf } from '../account.ts'
import type { Context } from '../context.ts'
import { decide, makeToken } from '../decisions.ts'
import { AuthError } from '../errors.ts'
import { finishFlow, takeFlow } from '../flow.ts'
import type { SignIn } from '../options.ts'
import { redirect, text } from '../reply.ts'
import type { Reply } from '../reply.ts'
import { takeReturn } from '../return.ts'

/** `GET /callback/:provider`: the return from the identity provider, or from our own bounce (I-28). */
export async function receiveQuery(ctx: Context): Promise<Reply> {
  const id = ctx.query.get('return')
  return receive(ctx, id === undefined ? ctx.search : await takeReturn(ctx, id))
}

/** `POST /callback/:provider` with a genuine CSRF token: a return that a page of ours has posted. */
export async function receiveForm(ctx: Context): Promise<Reply> {
  return receive(ctx, new URLSearchParams([...ctx.form.fields]))
}

/** `HEAD /callback/:provider`: that there is such a route, and nothing more (I-5). */
export function receiveNothing(): Reply {
  return text(200, '')
}

async function receive(ctx: Context, params: URLSearchParams): Promise<Reply> {
  try {
    const flow = await takeFlow(ctx, params)
    assertOnce(params)
    ctx.callbackUrl = await ctx.returnAddress(flow.callbackUrl)
    const identity = await finishFlow(ctx, flow, params)
    return await signIn(ctx, userOf(ctx.provider, identity), flow.madeWith, ctx.callbackUrl)
  } catch (thrown) {
    const error = thrown instanceof AuthError ? thrown.code : 'Default'
    ctx.tell('signInFailed', { provider: ctx.provider.id, error })
    throw thrown
  }
}

/** The one end of every way of signing in: the application's word, then the session. */
async function signIn(
  ctx: Context,
  person: SignIn,
  madeWith: string,
  callbackUrl: string,
): Promise<Reply> {
  const { callbacks, sessions } = ctx.service
  const verdict = await decide('callbacks.signIn', () =>
    callbacks.signIn ? callbacks.signIn(person) : true,
  )
  if (typeof verdict === 'string' || verdict instanceof URL) {
    return redirect(await ctx.returnAddress(String(verdict)))
  }
  if (verdict !== true) throw new AuthError('AccessDenied', 'callbacks.signIn has refused')
  const token = await makeToken(callbacks, {
    ...person,
    trigger: 'signIn',
    token: tokenOf(person.user),
  })
  await sessions.start(ctx.jar, ctx.site.cookies.session, ctx.now, { token, madeWith })
  ctx.tell('signIn', person)
  return redirect(callbackUrl)
}

/** Each parameter at most once (RFC 6749 §3.1). */
function assertOnce(params: URLSearchParams): void {
  for (const name of new Set(params.keys())) {
    if (params.getAll(name).length > 1) {
      throw new AuthError('OAuthCallback', 'the return has a parameter twice')
    }
  }
}
