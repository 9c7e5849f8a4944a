import { isJsonForm } from '@latchkey/core/capability/pages'
import { toChangeTime } from '@latchkey/core/capability/factors'
import {
  toPageContext,
  json,
  page,
  redirect,
  changed,
  limitChange,
} from '@latchkey/core/capability'
import type { Context, Input, Reply } from '@latchkey/core/capability'
import { renderCodesPage } from './pages/second-factor.ts'
import type { Factor, NewFactor } from '@latchkey/core'
import type { BackupMethod } from './method.ts'
import { changedElsewhere } from './conflict.ts'
import { getFactorStorage } from './factors.ts'
import type { Methods } from './factors.ts'

/** Creates the codes that stand in for a first second factor, unless the user has some (I-53.3). */
export async function createCodes(
  ctx: Context,
  methods: Methods,
  userId: string,
): Promise<readonly string[]> {
  const storage = getFactorStorage(ctx.service)
  const created: string[] = []
  for (const method of methods.values()) {
    if (!method.isBackup) continue
    const { data, codes } = await method.create({ random: ctx.service.runtime.random })
    if (await storage.createFactor(userId, toFactor(ctx, method, userId, data))) {
      created.push(...codes)
    }
  }
  return created
}

/**
 * Replaces a user's codes by new ones: the previous ones are no longer valid.
 *
 * @throws Refusal `Default` (409) if another request has changed them meanwhile
 * @throws AuthError `RateLimited` (I-62.5)
 */
export async function replaceCodes(
  ctx: Context,
  method: BackupMethod,
  factors: readonly Factor[],
  userId: string,
): Promise<readonly string[]> {
  const storage = getFactorStorage(ctx.service)
  await limitChange(ctx, userId)
  const { data, codes } = await method.create({ random: ctx.service.runtime.random })
  const held = factors.find(({ type }) => type === method.id)
  const changes = { data, changedAt: toChangeTime(ctx.now, held?.changedAt) }
  const isStored = held
    ? await storage.updateFactor(held.type, held.id, held.version, changes)
    : await storage.createFactor(userId, toFactor(ctx, method, userId, data))
  if (!isStored) throw changedElsewhere(ctx)
  await changed({ service: ctx.service, ctx, kind: 'recoveryCodesReplaced', userId })
  return codes
}

function toFactor(
  { now }: Context,
  { id: type }: BackupMethod,
  id: string,
  data: string,
): NewFactor {
  return { type, id, name: null, data, changedAt: now, createdAt: now, lastUsedAt: null }
}

/** Shows new codes, once; without any, continues. */
export function replyCodes(
  ctx: Context,
  input: Input,
  callbackUrl: string,
  codes: readonly string[],
): Reply {
  if (isJsonForm(ctx, input)) return json({ url: callbackUrl, codes })
  if (codes.length === 0) return redirect(callbackUrl)
  return page(renderCodesPage({ ...toPageContext(ctx), callbackUrl, codes }))
}
