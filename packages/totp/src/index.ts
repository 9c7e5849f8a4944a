export { recoveryCodes } from './recovery-codes.ts'
export type { RecoveryCodesOptions } from './recovery-codes.ts'
export { totp } from './totp.ts'
export type { TotpOptions } from './totp.ts'
