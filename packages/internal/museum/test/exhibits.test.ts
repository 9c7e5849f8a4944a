import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { advisories } from '../src/advisories.ts'
import { createExhibit, toVerdict } from '../src/exhibit.ts'
import { exhibits } from '../src/exhibits/index.ts'
import { getReason, onConvex } from '../src/not-run.ts'
import { readResults } from '../src/results.ts'
import { openLatchkey } from '../src/subjects/latchkey.ts'
import { current, getFolderName } from '../src/versions.ts'

const attacked = exhibits.flatMap(({ ids }) => ids)

test('each advisory has an attack or a reason', () => {
  expect(advisories).toHaveLength(58)
  const without = advisories.filter(
    (advisory) => attacked.includes(advisory.id) === (getReason(advisory) !== undefined),
  )
  expect(without.map(({ id }) => id)).toEqual([])
})

test('each attack is of one advisory of the list', () => {
  expect(new Set(attacked).size).toBe(attacked.length)
  const known = new Set(advisories.map(({ id }) => id))
  expect(attacked.filter((id) => !known.has(id))).toEqual([])
})

test('each version has a folder that pins it, and each folder is used', () => {
  const versions = exhibits.flatMap(({ affected }) => ('reason' in affected ? [] : [affected]))
  const used = new Map(
    [...versions, ...Object.values(current)].map((version) => [getFolderName(version), version]),
  )
  const folder = resolve(import.meta.dirname, '../versions')
  expect(readdirSync(folder).toSorted()).toEqual([...used.keys()].toSorted())
  for (const [name, { library, version }] of used) {
    const text = readFileSync(resolve(folder, name, 'package-lock.json'), 'utf8')
    const lock: { readonly packages: Record<string, { readonly version?: string }> } =
      JSON.parse(text)
    expect([name, lock.packages[`node_modules/${library}`]?.version]).toEqual([name, version])
    expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/)
  }
})

test('the recorded results are of these attacks: each version with the fault is hit', () => {
  const { exhibits: recorded } = readResults()
  expect(recorded.map(({ ids }) => ids)).toEqual(exhibits.map(({ ids }) => ids))
  for (const [i, { affected }] of recorded.entries()) {
    const expected = exhibits[i]?.affected
    expect(affected).toMatchObject(
      expected && 'reason' in expected ? expected : { ...expected, outcome: 'hit' },
    )
  }
})

test('a library that lacks what an attack needs is not attacked', async () => {
  const exhibit = createExhibit({
    ids: ['of this test'],
    affected: onConvex,
    needs: ['passkeys'],
    attack: async () => toVerdict(true, 'the attack ran'),
  })
  const subject = await openLatchkey({ strategy: 'storage' })
  expect(await exhibit.attack(subject)).toEqual({ outcome: 'hit', evidence: 'the attack ran' })
  const { passkeys: _, ...without } = subject
  await expect(exhibit.attack(without)).rejects.toThrow('expected a subject with passkeys')
})

test('an attack fails if the request without the fault does', async () => {
  const [exhibit] = exhibits
  assert.ok(exhibit)
  const subject = await openLatchkey({ strategy: 'storage' })
  const request = async (): Promise<Response> => new Response(null, { status: 503 })
  assert.ok(subject.email)
  const failing = { ...subject, email: { ...subject.email, request } }
  await expect(exhibit.attack(failing)).rejects.toThrow('expected an email to victim@corp.example')
})
