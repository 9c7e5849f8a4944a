import { isObject } from '../lib/members.ts'
import type { Claims } from './provider-config.ts'

/** @throws TypeError if a value is neither an object nor a list */
export function toClaims(value: unknown): Claims {
  if (isObject(value)) return value
  throw new TypeError('expected a JSON object')
}
