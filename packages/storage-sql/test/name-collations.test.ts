import { credentials } from '@latchkey/core/providers/credentials'
import type { BeginInput } from '@latchkey/core'
import { isReachable, mysqlUrl, postgresUrl, reportMissing } from '@latchkey/test-support/servers'
import { createConnection } from 'mysql2/promise'
import type { RowDataPacket } from 'mysql2/promise'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'

/** A collation of a server that ignores case and accents. */
interface Collation {
  readonly name: string
  /** Returns for each text the number of its class: equal texts have one class. */
  readonly classify: (texts: readonly string[]) => Promise<readonly number[]>
  /** Characters that are counted apart from the ASCII ones that they equal. */
  readonly exceptions: string
}

const postgresCollations = ['und-u-ks-level1', 'und-u-ks-level1-ka-shifted']

const mysqlCollations: Readonly<Record<string, string>> = {
  utf8mb4_uca1400_ai_ci: '',
  utf8mb4_unicode_520_ci: '',
  // Takes the numerators of Bengali fractions for digits.
  utf8mb4_unicode_ci: '৴৵৶৷',
  // Takes one s for it, where all others take two.
  utf8mb4_general_ci: 'ß',
}

async function classifyInPostgres(
  locale: string,
  texts: readonly string[],
): Promise<readonly number[]> {
  const client = new Client(postgresUrl)
  await client.connect()
  try {
    await client.query(
      `CREATE COLLATION pg_temp.loose (provider = icu, locale = '${locale}', deterministic = false)`,
    )
    const { rows } = await client.query<{ class: string }>(
      `SELECT dense_rank() OVER (ORDER BY text COLLATE pg_temp.loose) AS class
       FROM unnest($1::text[]) WITH ORDINALITY AS t (text, position) ORDER BY position`,
      [texts],
    )
    return rows.map((row) => Number(row.class))
  } finally {
    await client.end()
  }
}

async function classifyInMysql(
  collation: string,
  texts: readonly string[],
): Promise<readonly number[]> {
  const connection = await createConnection(mysqlUrl)
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT dense_rank() OVER (ORDER BY text COLLATE ${collation}) AS class
       FROM JSON_TABLE(?, '$[*]' COLUMNS (
         position FOR ORDINALITY, text VARCHAR(16) CHARACTER SET utf8mb4 PATH '$'
       )) AS t ORDER BY position`,
      [JSON.stringify(texts)],
    )
    return rows.map((row) => Number(row['class']))
  } finally {
    await connection.end()
  }
}

/** What servers answer that lack a collation: PostgreSQL without ICU, and MySQL. */
const lacking = new Set(['0A000', 'ER_UNKNOWN_COLLATION'])

/** Returns whether the server has a collation. If it does not, that is reported. */
async function isAvailable({ name, classify }: Collation): Promise<boolean> {
  try {
    return (await classify(['a'])).length === 1
  } catch (thrown) {
    if (!lacking.has((thrown as { code?: string }).code ?? '')) throw thrown
    reportMissing(name)
    return false
  }
}

async function getCollations(): Promise<readonly Collation[]> {
  const collations: Collation[] = []
  if (await isReachable('PostgreSQL', postgresUrl)) {
    for (const locale of postgresCollations) {
      const classify: Collation['classify'] = (texts) => classifyInPostgres(locale, texts)
      collations.push({ name: `${locale} of PostgreSQL`, classify, exceptions: '' })
    }
  }
  if (await isReachable('MariaDB or MySQL', mysqlUrl)) {
    for (const [collation, exceptions] of Object.entries(mysqlCollations)) {
      const classify: Collation['classify'] = (texts) => classifyInMysql(collation, texts)
      collations.push({ name: `${collation} of MariaDB or MySQL`, classify, exceptions })
    }
  }
  const available = await Promise.all(collations.map(isAvailable))
  return collations.filter((_, i) => available[i])
}

/** All characters that Unicode assigns, apart from NUL, private ones and surrogates. */
function listCharacters(): readonly string[] {
  const points = Array.from({ length: 0x10ffff }, (_, i) => i + 1)
  const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff
  const characters = points.filter((point) => !isSurrogate(point))
  return characters
    .map((point) => String.fromCodePoint(point))
    .filter((character) => !/[\p{Cn}\p{Co}]/u.test(character))
}

/** The empty text, and all texts of one, two or three letters and digits. */
function listAsciiTexts(): readonly string[] {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789')
  const append = (texts: readonly string[]): readonly string[] =>
    texts.flatMap((text) => letters.map((letter) => text + letter))
  const pairs = append(letters)
  return ['', ...letters, ...pairs, ...append(pairs)]
}

/** Returns under which name the failed attempts for a name are counted (I-43). */
async function getCountedName(name: string): Promise<string> {
  let counted = ''
  const fields = { name: { label: 'Name' } }
  const provider = credentials({ fields, authorize: () => null })
  const input: Partial<BeginInput> = {
    purpose: 'signIn',
    fields: new Map([['name', name]]),
    recall: async () => undefined,
    limitAttempt: async (given) => {
      counted = given
      throw new Error('counted')
    },
  }
  await expect(provider.begin(input as BeginInput)).rejects.toThrow('counted')
  return counted
}

const characters = listCharacters()
const asciiTexts = listAsciiTexts()
/** Within a name: some collations ignore spaces at its end. */
const wrap = (text: string): string => `q${text}q`

describe.for(await getCollations())('names that $name takes for equal (I-43)', (collation) => {
  test('are counted together: of all characters, those that equal ASCII ones or nothing', async () => {
    const classes = await collation.classify([...asciiTexts, ...characters].map(wrap))
    const asciiOf = new Map(asciiTexts.map((text, i) => [classes[i], text]))
    const isAscii = (character: string): boolean => /^[a-z\d]$/.test(character)
    const equal = characters.flatMap((character, i) => {
      const ascii = asciiOf.get(classes[asciiTexts.length + i])
      return ascii === undefined || isAscii(character) ? [] : [{ character, ascii }]
    })
    expect(equal.length).toBeGreaterThan(500)
    const apart: typeof equal = []
    for (const each of equal) {
      const counted = await getCountedName(wrap(each.character))
      if (counted !== wrap(each.ascii)) apart.push(each)
    }
    expect(apart.map(({ character }) => character).join('')).toBe(collation.exceptions)
  })
})
