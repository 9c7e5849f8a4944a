import { createRequire } from 'node:module'
import { expect, test, vi } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { isEquipped } from '../src/exhibit.ts'
import type { Exhibit } from '../src/exhibit.ts'
import { exhibits } from '../src/exhibits/index.ts'
import type { Subject } from '../src/subject.ts'
import { openAuthCore } from '../src/subjects/auth-js.ts'
import { openBetterAuth } from '../src/subjects/better-auth.ts'
import { current } from '../src/versions.ts'
import type { Library, Load } from '../src/versions.ts'

// better-auth leaves out checks in tests.
vi.stubEnv('NODE_ENV', 'production')
vi.stubEnv('TEST', undefined)

// nodemailer is a dependency of the package that sends email.
const mail = createRequire(new URL('../../../mail/package.json', import.meta.url))

/** Imports what the workspace has installed anyway: no plugin of better-auth that is a separate package. */
const load: Load = async (specifier) => {
  if (/passkey|api-key/.test(specifier)) {
    throw Object.assign(new Error(`${specifier} is missing`), { code: 'ERR_MODULE_NOT_FOUND' })
  }
  return import(specifier === 'nodemailer' ? mail.resolve(specifier) : specifier)
}

const open: Readonly<Partial<Record<Library, (exhibit: Exhibit) => Promise<Subject>>>> = {
  'better-auth': (exhibit) => openBetterAuth(load, exhibit),
  '@auth/core': () => openAuthCore(load),
}

/** The attacks on a library, without those that need a package which the workspace lacks. */
async function listExhibits(library: Library): Promise<readonly Exhibit[]> {
  const shown: Exhibit[] = []
  for (const exhibit of exhibits) {
    const { affected, needs } = exhibit
    if ('reason' in affected || affected.library !== library) continue
    const subject = await open[library]?.(exhibit)
    if (subject && isEquipped(subject, needs)) shown.push(exhibit)
  }
  return shown
}

test.each(await listExhibits('better-auth'))(
  '$ids.0 is refused by better-auth',
  async (exhibit) => {
    const subject = await openBetterAuth(load, exhibit)
    expect(await exhibit.attack(subject)).toMatchObject({ outcome: 'refused' })
  },
)

test.each(await listExhibits('@auth/core'))('$ids.0 is refused by @auth/core', async (exhibit) => {
  expect(await exhibit.attack(await openAuthCore(load))).toMatchObject({ outcome: 'refused' })
})

test('the workspace has the versions that the command calls current', () => {
  const { devDependencies } = manifest
  expect(current['better-auth'].version).toBe(devDependencies['better-auth'])
  expect(current['@auth/core'].version).toBe(devDependencies['@auth/core'])
})
