import type { Context } from '../kernel/context.ts'
import { getSecondFactors } from '../second-factor/get-second-factors.ts'
import type { Continued, ProvenFirst } from '../second-factor/second-factors.ts'

/** Asks for a second factor if the service and the user have some (I-52). Every way of signing in passes here. */
export async function askSecondFactor(ctx: Context, first: ProvenFirst): Promise<Continued> {
  const { authentication } = first.signIn
  return (await getSecondFactors(ctx.service)?.ask(ctx, first)) ?? { authentication }
}
