import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userFields } from '@latchkey/core/user-fields'
import { afterAll, describe, expect, test } from 'vitest'
import { getFormat, openRecords } from '../src/import/read-records.ts'
import type { Format } from '../src/import/read-records.ts'
import { checkColumns, toRow } from '../src/import/to-row.ts'
import { createFolder } from './support/command-line.ts'

const { folder, remove } = createFolder()
afterAll(remove)

const { declarations } = userFields({
  role: { type: 'text' },
  credits: { type: 'integer' },
  ratio: { type: 'number' },
  newsletter: { type: 'boolean' },
  trialEndsAt: { type: 'date' },
  settings: { type: 'json' },
})

/** Returns the records of a file with this content. */
async function read(content: string | Uint8Array, format: Format): Promise<unknown[]> {
  const path = join(folder, `users.${format}`)
  writeFileSync(path, content)
  const found: unknown[] = []
  for await (const record of (await openRecords(path, 'users', format)).records) found.push(record)
  return found
}

describe('a CSV file', () => {
  test('is read as RFC 4180 says, an empty value as null', async () => {
    const text = '\uFEFFid,email,name\r\n1,a@b.example,"A ""B"",\r\nC"\r\n\r\n2,,"é, 😀"'
    expect(await read(text, 'csv')).toEqual([
      { id: '1', email: 'a@b.example', name: 'A "B",\r\nC' },
      { id: '2', email: null, name: 'é, 😀' },
    ])
  })

  test('with a column __proto__ has no other prototype', async () => {
    const [record] = await read('__proto__\nx', 'csv')
    expect(Object.entries(Object(record))).toEqual([['__proto__', 'x']])
  })

  test.each([
    ['no line', '', 'users is empty'],
    ['a quote that is not closed', 'email\n"a', 'Quote Not Closed'],
    ['a record that is too short', 'id,email\n1', 'Invalid Record Length'],
    ['a record that is too long', 'id,email\n1,2,3', 'Invalid Record Length'],
    ['a column twice', 'id,id\n1,2', 'the column "id" comes twice'],
    ['a record of two megabytes', `id\n"${'x'.repeat(2_000_000)}"`, 'Max Record Size'],
    ['Latin-1', Uint8Array.of(0x69, 0x64, 0x0a, 0xe9), 'it is not in UTF-8'],
  ])('with %s is refused', async (_, content, problem) => {
    expect(await read('id\n1', 'csv')).toEqual([{ id: '1' }])
    await expect(read(content, 'csv')).rejects.toThrow(problem)
  })
})

describe('a file of JSON lines', () => {
  test('is read line by line, and what is not JSON is undefined', async () => {
    const text = '\uFEFF{"id":1,"name":null}\r\n\n{"id":\n"text"\n{"id":2}'
    const records = [{ id: 1, name: null }, undefined, 'text', { id: 2 }]
    expect(await read(text, 'jsonl')).toEqual(records)
  })

  test('names the members of its first line, if that is an object', async () => {
    const path = join(folder, 'members.jsonl')
    writeFileSync(path, '{"id":1,"email":"a"}\n{"name":"a"}')
    expect((await openRecords(path, 'users', 'jsonl')).columns).toEqual(['id', 'email'])
    writeFileSync(path, '{')
    expect((await openRecords(path, 'users', 'jsonl')).columns).toBeUndefined()
  })

  test('with a line of two megabytes is refused', async () => {
    expect(await read('"x"\n', 'jsonl')).toEqual(['x'])
    const long = read(`"${'x'.repeat(2_000_000)}"`, 'jsonl')
    await expect(long).rejects.toThrow('a line has more than 1000000 characters')
  })
})

test('the name of a file says its format', () => {
  const names = ['users.csv', 'USERS.CSV', 'a.b.jsonl', 'users.ndjson']
  expect(names.map(getFormat)).toEqual(['csv', 'csv', 'jsonl', 'jsonl'])
  expect(() => getFormat('users.json')).toThrow('expected a file .csv, .jsonl or .ndjson')
})

describe('columns', () => {
  const known = ['email', 'emailVerified', 'id', 'hash', 'name', 'image', 'role', 'settings']

  test.each([
    ['an unknown one', [...known, 'plan'], 'found "plan"'],
    ['one in another case', [...known, 'Role'], 'found "Role"'],
    ['no email', known.slice(1), 'expected the columns email and emailVerified'],
    ['no emailVerified', ['email'], 'expected the columns email and emailVerified'],
  ])('with %s are refused', (_, columns, problem) => {
    expect(() => checkColumns(known, declarations)).not.toThrow()
    expect(() => checkColumns(columns, declarations)).toThrow(problem)
  })
})

describe('a record becomes a row:', () => {
  const verified = [true, 1, '1', 'true', 't', '2026-01-02 03:04:05.678+00', 1_700_000_000_000]
  const times = ['2026-01-02T03:04:05.678Z', '1700000000', '1700000000000', 1_700_000_000]

  test.each([...verified, ...times])('emailVerified %j is true', (emailVerified) => {
    expect(toRow({ emailVerified }, {})).toMatchObject({ emailVerified: true })
  })

  test.each([false, 0, '0', 'false', 'f', null])('emailVerified %j is false', (emailVerified) => {
    expect(toRow({ emailVerified }, {})).toMatchObject({ emailVerified: false })
  })

  test.each(['yes', '', 2, '-1', '0000-00-00 00:00:00', [], 'infinity'])(
    'emailVerified %j stays, and is refused',
    (emailVerified) => {
      expect(toRow({ emailVerified }, {})).toMatchObject({ emailVerified })
    },
  )

  test('numbers are ids, and other columns fields of their types', () => {
    const fields = { role: '5', credits: '5', ratio: '0.5', newsletter: 't', settings: '{"a":1}' }
    const record = { id: 7, email: 'a', emailVerified: 1, hash: 'h', ...fields }
    expect(toRow({ ...record, trialEndsAt: '2026-01-02T03:04:05Z' }, declarations)).toEqual({
      id: '7',
      email: 'a',
      emailVerified: true,
      hash: 'h',
      fields: {
        role: '5',
        credits: 5,
        ratio: 0.5,
        newsletter: true,
        settings: { a: 1 },
        trialEndsAt: new Date('2026-01-02T03:04:05Z'),
      },
    })
  })

  test('values of JSON stay, and null means that there is none', () => {
    const fields = { role: null, credits: 5, newsletter: false, settings: [1], trialEndsAt: 86_400 }
    expect(toRow({ id: null, ...fields }, declarations)).toEqual({
      id: null,
      fields: { credits: 5, newsletter: false, settings: [1], trialEndsAt: new Date(86_400) },
    })
  })

  test.each([undefined, null, 'text', 5])('%j stays, and is refused', (record) => {
    expect(toRow(record, declarations)).toBe(record)
  })
})
