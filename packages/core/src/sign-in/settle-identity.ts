import { getCarried } from '../kernel/context.ts'
import type { Context } from '../kernel/context.ts'
import type { Provider } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'

/** Makes the changes that waited until the user had proven each factor, and returns the identity without them. */
export async function settleIdentity(
  ctx: Context,
  provider: Provider,
  identity: Identity,
): Promise<Identity> {
  const settled = await getCarried(provider)?.answers?.settle?.(ctx, identity)
  const { pending: _, ...proven } = settled ?? identity
  return proven
}
