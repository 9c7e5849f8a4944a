import { readText } from './members.ts'

/** Returns `error` of RFC 6749 §5.2 if it is a code; undefined if there is none. Other texts may repeat the request. */
export function readErrorCode(value: unknown): string | undefined {
  const code = readText(value, 'error') ?? ''
  return /^[a-z_]{1,40}$/.test(code) ? code : undefined
}
