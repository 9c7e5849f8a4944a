import type { Context, ProviderInput, Keys } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Factor } from '@latchkey/core'
import type { FactorSealer, SecondFactorInput } from './method.ts'

/** Returns what a method works with, for the factors of one user and one type. */
export function toSecondInput(
  ctx: Context,
  { provider, body }: Pick<ProviderInput, 'provider' | 'body'>,
  userId: string,
): SecondFactorInput {
  return {
    fields: body.fields,
    now: ctx.now,
    random: ctx.service.runtime.random,
    sealer: createFactorSealer(ctx.service.keys, ctx.now, { userId, type: provider.id }),
  }
}

/** A value that was sealed for another user, or another type, is not opened: a row of the storage can be copied. */
export function createFactorSealer(
  { factor }: Pick<Keys, 'factor'>,
  now: number,
  { userId, type }: Pick<Factor, 'userId' | 'type'>,
): FactorSealer {
  return {
    seal: (text) => factor.seal({ userId, type, text }, Number.MAX_SAFE_INTEGER),
    async open(sealed) {
      const content = await factor.open(sealed, now)
      const isTheirs = content?.['userId'] === userId && content['type'] === type
      return isTheirs && typeof content['text'] === 'string' ? content['text'] : undefined
    },
  }
}

/** Calls a method: what it throws is an unreadable factor, never a wrong code (I-49.5). */
export async function callMethod<T>(type: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new AuthError('Unavailable', `a factor of the type ${type} cannot be read`, { cause })
  }
}
