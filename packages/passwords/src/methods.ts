import type { Logger } from '@latchkey/core'
import type { PasswordCost } from './password-work.ts'
import type { PasswordHasher } from './hasher.ts'
import type { PasswordVerifier } from './verifier.ts'

/** How hashes are compared. */
export interface Methods {
  /** Returns what a hash costs; undefined if it cannot be compared. */
  readonly describe: (hash: string) => PasswordCost | undefined
  readonly compare: (password: string, hash: string, log: Pick<Logger, 'error'>) => Promise<boolean>
}

export function createMethods(
  hasher: PasswordHasher,
  verifiers: readonly PasswordVerifier[],
): Methods {
  const findVerifier = (hash: string): PasswordVerifier | undefined =>
    hasher.needsRehash(hash) ? verifiers.find(({ matches }) => matches(hash)) : undefined
  return {
    describe(hash) {
      const verifier = findVerifier(hash)
      return verifier ? describeImported(verifier, hash) : describeOwn(hasher, hash)
    },
    compare(password, hash, log) {
      const verifier = findVerifier(hash)
      if (verifier) return compareForms(verifier, password, hash, log)
      return isRight('the hasher', hasher.verify(password.normalize('NFC'), hash), log)
    },
  }
}

/** An imported hash is of the password as it was typed there, normalized or not (I-55.6). */
async function compareForms(
  { name, verify }: PasswordVerifier,
  password: string,
  hash: string,
  log: Pick<Logger, 'error'>,
): Promise<boolean> {
  if (await isRight(name, verify(password, hash), log)) return true
  const normalized = password.normalize('NFC')
  return normalized !== password && isRight(name, verify(normalized, hash), log)
}

/** Only `true` is right: an object such as `{ valid: false }` must sign nobody in. */
async function isRight(
  name: string,
  result: Promise<unknown>,
  log: Pick<Logger, 'error'>,
): Promise<boolean> {
  const found = await result
  if (typeof found === 'boolean') return found
  const expected = 'a boolean'
  log.error('a password counts as wrong: verify() gave no boolean', {
    method: name,
    expected,
    found: typeof found,
  })
  return false
}

function describeOwn(hasher: PasswordHasher, hash: string): PasswordCost | undefined {
  const { getCost = getOnlyCost(hasher), decoy, decoys = [decoy] } = hasher
  const cost = getCost(hash)
  if (cost === undefined) return undefined
  // The decoy that is made of a hasher without one costs as much as its hashes.
  const isCovered = decoys.some((each) => each === undefined || getCost(each) === cost)
  return toCost(cost, isCovered, 'the hasher')
}

function getOnlyCost(hasher: PasswordHasher): (hash: string) => string | undefined {
  return (hash) => (hasher.needsRehash(hash) ? undefined : 'the hasher')
}

function describeImported(
  { name, getCost = () => name, decoy, decoys = [decoy] }: PasswordVerifier,
  hash: string,
): PasswordCost {
  const cost = getCost(hash)
  return toCost(
    cost,
    decoys.some((each) => getCost(each) === cost),
    `the verifier ${name}`,
  )
}

function toCost(cost: string, isCovered: boolean, method: string): PasswordCost {
  const problem = `add ${JSON.stringify(cost)} to the option decoys of ${method}`
  return { cost, problem: isCovered ? undefined : problem }
}
