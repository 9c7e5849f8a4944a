/** The operations of WebCrypto, which use threads: the turns of the event loop do not show that one is busy. */
const names = [
  'decrypt',
  'deriveBits',
  'deriveKey',
  'digest',
  'encrypt',
  'exportKey',
  'generateKey',
  'importKey',
  'sign',
  'unwrapKey',
  'verify',
  'wrapKey',
] as const

let isCounted = false
let inProgress = 0

/** Returns whether an operation of WebCrypto that began after {@link countCrypto} has not ended. */
export function hasCryptoInProgress(): boolean {
  return inProgress > 0
}

/** Counts the operations of WebCrypto from now on; they stay as they are. */
export function countCrypto(): void {
  if (isCounted) return
  isCounted = true
  const { subtle } = crypto
  for (const name of names) {
    const operation: (...args: never[]) => Promise<unknown> = subtle[name]
    const value = (...args: never[]): Promise<unknown> => {
      const result = operation.apply(subtle, args)
      inProgress++
      const end = (): void => void inProgress--
      result.then(end, end)
      return result
    }
    Reflect.defineProperty(subtle, name, { value, configurable: true, writable: true })
  }
}
