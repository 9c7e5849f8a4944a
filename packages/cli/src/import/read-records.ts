import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { parse } from 'csv-parse'
import { CliError, describeThrown, UsageError } from '../lib/cli-error.ts'
import { isObject } from '../lib/members.ts'

/** The formats of files of users. */
export const formats = ['csv', 'jsonl'] as const

export type Format = (typeof formats)[number]

/** The records of a file, which are read while they are used. */
export interface Records {
  /** The columns of a CSV file, or the members of the first JSON line; undefined if that is not an object. */
  readonly columns: readonly string[] | undefined
  /** A record is undefined if its line is not JSON. */
  readonly records: AsyncIterable<unknown>
}

/** Bytes or characters of one record: a quote that is not closed would read the whole file. */
const MAX_RECORD = 1_000_000

/**
 * Returns the format that the name of a file says.
 *
 * @throws UsageError if it says none
 */
export function getFormat(file: string): Format {
  const extension = extname(file).toLowerCase()
  if (extension === '.csv') return 'csv'
  if (extension === '.jsonl' || extension === '.ndjson') return 'jsonl'
  throw new UsageError(
    `expected a file .csv, .jsonl or .ndjson, found ${file}: name the format with --format`,
  )
}

/**
 * Opens a file in UTF-8: CSV (RFC 4180) with a line of column names, or one JSON object in each line. An empty value of
 * a CSV file is null.
 *
 * @throws CliError if the file is empty or cannot be read, also while its records are used
 */
export async function openRecords(path: string, name: string, format: Format): Promise<Records> {
  const text = decode(createReadStream(path))
  const found = describeErrors(format === 'csv' ? readCsv(text) : readJsonLines(text), name)
  const first = await found.next()
  if (first.done) throw new CliError(`${name} is empty`)
  const columns = isObject(first.value) ? Object.keys(first.value) : undefined
  if (format === 'csv') return { columns, records: found }
  return { columns, records: startWith(first.value, found) }
}

async function* startWith(first: unknown, others: AsyncGenerator): AsyncGenerator {
  yield first
  yield* others
}

/** Removes the byte order mark that spreadsheets write. */
async function* decode(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Yields the line of column names first, as an object of them. */
async function* readCsv(text: AsyncIterable<string>): AsyncGenerator {
  const parser = parse({ skip_empty_lines: true, max_record_size: MAX_RECORD })
  const source = Readable.from(text)
  source.once('error', (error) => parser.destroy(error)).pipe(parser)
  let columns: readonly string[] | undefined
  const lines: AsyncIterable<unknown> = parser
  for await (const line of lines) {
    const values = Array.isArray(line) ? line.map(String) : []
    columns ??= checkUnique(values)
    yield Object.fromEntries(columns.map((column, i) => [column, values[i] || null]))
  }
}

function checkUnique(columns: readonly string[]): readonly string[] {
  const twice = columns.find((column, i) => columns.indexOf(column) !== i)
  if (twice === undefined) return columns
  throw new Error(`the column ${JSON.stringify(twice)} comes twice`)
}

async function* readJsonLines(text: AsyncIterable<string>): AsyncGenerator {
  for await (const line of toLines(text)) {
    if (line.trim() !== '') yield parseJson(line)
  }
}

async function* toLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_RECORD) throw new Error(`a line has more than ${MAX_RECORD} characters`)
    yield* lines
  }
  yield rest
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

async function* describeErrors(records: AsyncIterable<unknown>, name: string): AsyncGenerator {
  try {
    yield* records
  } catch (thrown) {
    const isUtf8 = !isObject(thrown) || thrown['code'] !== 'ERR_ENCODING_INVALID_ENCODED_DATA'
    const problem = isUtf8 ? describeThrown(thrown) : 'it is not in UTF-8'
    throw new CliError(`${name} cannot be read: ${problem}`)
  }
}
