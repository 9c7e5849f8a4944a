import type { Context, Reply, SecondProof } from '@latchkey/core/capability'
import { withRefusal } from '@latchkey/core/capability'
import { completeIdentity } from '@latchkey/core/capability/sign-in'
import { takeIdentity } from './kept-identity.ts'
import { clearStep, noStep } from './step.ts'
import type { OpenedStep } from './step.ts'

/**
 * Continues a proven first factor, now that the second one is proven too: everything is resolved again, and ends
 * where a sign-in without a second factor ends (I-52.4).
 *
 * @throws Refusal
 */
export async function completeFirst(
  ctx: Context,
  { first }: OpenedStep,
  second: SecondProof,
): Promise<Reply> {
  const provider = ctx.service.providers.get(first?.provider ?? '')
  if (!first || !provider) throw noStep('the provider of the first factor is not configured')
  return endStep(ctx, () =>
    completeIdentity(ctx, provider, { ...first.flow, second }, first.identity),
  )
}

/**
 * Returns a step that was taken, with the identity that the storage keeps for it (I-52.2).
 *
 * @throws Refusal
 */
export async function restoreFirst(ctx: Context, step: OpenedStep): Promise<OpenedStep> {
  const { first, salt } = step
  if (!first) return step
  return endStep(ctx, async () => {
    const identity = await takeIdentity(ctx, salt, first)
    if (identity) return { ...step, first: { ...first, identity } }
    throw noStep('the storage does not keep the unfinished sign-in any more')
  })
}

/** Completes a step that is used up: its cookie is deleted after an error too. */
function endStep<T>(ctx: Context, complete: () => Promise<T>): Promise<T> {
  return withRefusal(complete, ({ options: { cookies = [] } }) => ({
    cookies: [...cookies, clearStep(ctx)],
  }))
}
