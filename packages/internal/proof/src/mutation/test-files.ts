import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { matchesGlob } from 'node:path/posix'
import { slowTests } from '../../../../../.ci/slow-tests.ts'
import { webCryptoPackages, withoutWebCrypto } from '../../../../../.ci/web-crypto-tests.ts'
import { getPackage, isStorage } from './sources.ts'

/** A test file, with one implementation of `#crypto`. */
export interface TestFile {
  /** Names both in the records. */
  readonly key: string
  /** From the root of the repository. */
  readonly path: string
  /** Whether `#crypto` is WebCrypto, as on Workers, in place of `node:crypto`. */
  readonly usesWebCrypto: boolean
  /** Of its text and of the helpers that it imports. */
  readonly hash: string
}

/** Tests of the packages whose sources are mutated: other packages run them in other processes. */
const packages = 'core,hono,next,totp,passwords,passkeys'

/**
 * Returns the test files that can notice a mutant in one of the files.
 *
 * @param files Mutated files from the root of the repository
 */
export function listTestFiles(root: string, files: readonly string[]): readonly TestFile[] {
  const storages = new Set(files.filter(isStorage).map(getPackage))
  const services = files.some((file) => !isStorage(file)) ? [packages] : []
  const names = [...services, ...storages].join()
  if (names === '') return []
  const paths = globSync(`packages/{${names},}/test/**/*.test.ts`, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !slowTests.some((pattern) => matchesGlob(path, pattern)))
    .toSorted()
  const testFiles = paths.map((path) => toTestFile(root, path, false))
  if (!files.some(isOfCore)) return testFiles
  const others = paths
    .filter((path) => webCryptoPackages.includes(getPackage(path)))
    .filter((path) => !withoutWebCrypto.includes(path))
  return [...testFiles, ...others.map((path) => toTestFile(root, path, true))]
}

function isOfCore(path: string): boolean {
  return getPackage(path) === 'core'
}

function toTestFile(root: string, path: string, usesWebCrypto: boolean): TestFile {
  const key = usesWebCrypto ? `${path} (WebCrypto)` : path
  return { key, path, usesWebCrypto, hash: hashTest(root, path) }
}

const hashes = new Map<string, string>()

function hashTest(root: string, path: string): string {
  const hash = createHash('sha256')
  for (const file of [...listHelpers(root, path)].toSorted()) {
    const found = hashes.get(file) ?? hashFile(join(root, file))
    hashes.set(file, found)
    hash.update(found)
  }
  return hash.digest('base64url').slice(0, 16)
}

/** Returns a test file and the helpers that it imports by a relative path within `test`. */
function listHelpers(root: string, path: string, found: Set<string> = new Set()): Set<string> {
  found.add(path)
  const text = readFileSync(join(root, path), 'utf8')
  for (const [, specifier = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
    const helper = join(dirname(path), specifier)
    const isHelper = /\/test\/.*\.ts$/.test(helper) && existsSync(join(root, helper))
    if (isHelper && !found.has(helper)) listHelpers(root, helper, found)
  }
  return found
}

function hashFile(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('base64url')
}
