import type { Factor } from '../ports/records.ts'
import type { FactorInfo } from '../kernel/auth-factors.ts'

/** Returns a factor without its data. */
export function toFactorInfo(factor: Factor): FactorInfo {
  const { type, id, name, changedAt, createdAt, lastUsedAt } = factor
  return { type, id, name, changedAt, createdAt, lastUsedAt }
}
