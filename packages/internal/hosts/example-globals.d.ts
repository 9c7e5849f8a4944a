/** What examples of the manual use of Deno, Bun, Workers, Electron and Expo. */
type Serve = (
  request: Request,
  info: { readonly remoteAddr: { readonly hostname: string } },
) => Response | Promise<Response>
declare const Deno: {
  serve(handler: Serve): unknown
  readonly env: { get(name: string): string | undefined }
}
declare module 'cloudflare:workers' {
  import type { SendEmail } from '@latchkey/mail/cloudflare'
  import type { D1 } from '@latchkey/storage-sql/d1'
  type Secrets = Readonly<Record<'AUTH_SECRET' | 'AUTH_GITHUB_ID' | 'AUTH_GITHUB_SECRET', string>>
  export const env: Secrets & { readonly DB: D1; readonly MAIL: SendEmail }
}
declare module 'electron' {
  export const app: { getPath(name: 'userData'): string }
  export const shell: { openExternal(url: string): Promise<void> }
  export const safeStorage: {
    encryptStringAsync(text: string): Promise<Buffer>
    decryptStringAsync(
      encrypted: Buffer,
    ): Promise<{ readonly result: string; readonly shouldReEncrypt: boolean }>
  }
}
declare module 'expo-crypto' {
  export enum CryptoDigestAlgorithm {
    SHA256 = 'SHA-256',
  }
  export function digest(algorithm: CryptoDigestAlgorithm, data: BufferSource): Promise<ArrayBuffer>
  export function getRandomBytes(byteCount: number): Uint8Array
}
declare module 'expo-secure-store' {
  export function getItemAsync(key: string): Promise<string | null>
  export function setItemAsync(key: string, value: string): Promise<void>
  export function deleteItemAsync(key: string): Promise<void>
}
declare module 'expo-web-browser' {
  type Result =
    { type: 'success'; url: string } | { type: 'cancel' | 'dismiss' | 'opened' | 'locked' }
  export function openAuthSessionAsync(url: string, redirectUrl?: string | null): Promise<Result>
}
declare const Bun: {
  serve(options: { fetch: (request: Request) => Response | Promise<Response> }): unknown
}
