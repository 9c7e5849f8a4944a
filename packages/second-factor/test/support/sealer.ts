import type { FactorSealer } from '@latchkey/second-factor'

/**
 * Creates a sealer with AES-256-GCM, as the core has it: the first secret seals, every secret opens, and what was
 * sealed for one user does not open for another.
 */
export function createSealer(secrets: readonly string[], userId: string): FactorSealer {
  const additionalData = new TextEncoder().encode(userId)
  return {
    async seal(text) {
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const key = await importKey(secrets[0] ?? '')
      const sealed = await crypto.subtle.encrypt(
        { name: 'AES-GCM', iv, additionalData },
        key,
        new TextEncoder().encode(text),
      )
      return `${Buffer.from(iv).toString('hex')}.${Buffer.from(sealed).toString('hex')}`
    },
    async open(sealed) {
      const [iv = '', text = ''] = sealed.split('.')
      for (const secret of secrets) {
        try {
          const algorithm = { name: 'AES-GCM', iv: Buffer.from(iv, 'hex'), additionalData }
          const key = await importKey(secret)
          const opened = await crypto.subtle.decrypt(algorithm, key, Buffer.from(text, 'hex'))
          return new TextDecoder().decode(opened)
        } catch {
          // It was sealed with another key.
        }
      }
      return undefined
    },
  }
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret))
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
