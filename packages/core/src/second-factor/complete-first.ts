import type { Context } from '../context.ts'
import { Refusal, toRefusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import type { SecondProof } from '../sign-in/flow.ts'
import { completeIdentity } from '../sign-in/run-callback.ts'
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
  try {
    return await completeIdentity(ctx, provider, { ...first.flow, second }, first.identity)
  } catch (thrown) {
    const { error, options } = toRefusal(thrown)
    throw new Refusal(error, { ...options, cookies: [...(options.cookies ?? []), clearStep(ctx)] })
  }
}
