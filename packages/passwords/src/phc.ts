import { fromBase64, toBase64 } from './bytes.ts'

/** The parts of a hash in the PHC string format: `$<id>[$v=<version>][$<parameters>]$<salt>$<output>`. */
export interface PhcHash {
  readonly id: string
  readonly version: number | undefined
  /** The parameters in their order. All are numbers in the formats that we know. */
  readonly parameters: Readonly<Record<string, number>>
  readonly salt: Uint8Array<ArrayBuffer>
  readonly output: Uint8Array<ArrayBuffer>
}

/** The least and the greatest value of a number. */
export type Range = readonly [min: number, max: number]

/** What a hash must have before anything is computed for it. */
export interface PhcFormat {
  readonly ids: readonly string[]
  readonly version?: number
  /** The parameters, all of which a hash has in this order. */
  readonly parameters: Readonly<Record<string, Range>>
  /** Bytes. */
  readonly salt: Range
  /** Bytes. */
  readonly output: Range
}

/** The longest hash of the formats that we know has 230 characters. */
const MAX_LENGTH = 512

/**
 * Parses a hash, exactly: a parameter is a decimal number without leading zeros, and base64 is canonical and without
 * padding, so that each hash has one spelling.
 *
 * @returns The parts; undefined if the hash is invalid
 */
export function parsePhc(text: string): PhcHash | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [, id, version, list, salt, output] = pattern.exec(text) ?? []
  if (id === undefined || salt === undefined || output === undefined) return undefined
  const parameters = parseParameters(list ?? '')
  const bytes = [fromBase64(salt), fromBase64(output)] as const
  if (!parameters || !bytes[0] || !bytes[1]) return undefined
  const number = version === undefined ? undefined : Number(version)
  return { id, version: number, parameters, salt: bytes[0], output: bytes[1] }
}

const pattern =
  /^\$([a-z][a-z0-9-]{0,31})(?:\$v=(0|[1-9]\d{0,9}))?(?:\$([a-z][a-z0-9-]{0,31}=[^$]+))?\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function parseParameters(list: string): Record<string, number> | undefined {
  const pairs =
    list === ''
      ? []
      : list.split(',').map((pair) => /^([a-z][a-z0-9-]{0,31})=(0|[1-9]\d{0,9})$/.exec(pair))
  const parameters = new Map<string, number>()
  for (const pair of pairs) {
    const [, name, value] = pair ?? []
    if (name === undefined || parameters.has(name)) return undefined
    parameters.set(name, Number(value))
  }
  return Object.fromEntries(parameters)
}

/** Parses a hash of one format; undefined if the hash is not of the format, or exceeds its limits. */
export function parsePhcOf(format: PhcFormat, text: string): PhcHash | undefined {
  const hash = parsePhc(text)
  if (!hash || !format.ids.includes(hash.id) || hash.version !== format.version) return undefined
  const names = Object.keys(format.parameters)
  if (Object.keys(hash.parameters).join() !== names.join()) return undefined
  const isWithin = names.every((name) => isInRange(hash.parameters[name], format.parameters[name]))
  const { salt, output } = hash
  if (!isWithin || !isInRange(salt.byteLength, format.salt)) return undefined
  return isInRange(output.byteLength, format.output) ? hash : undefined
}

/** Returns whether a number is an integer of a range. */
export function isInRange(value: unknown, range: Range | undefined): boolean {
  if (!range || typeof value !== 'number' || !Number.isInteger(value)) return false
  return value >= range[0] && value <= range[1]
}

/** Writes a hash. */
export function formatPhc({ salt, output, ...cost }: PhcHash): string {
  return `${formatCost(cost)}$${toBase64(salt)}$${toBase64(output)}`
}

/** Writes what a hash costs: it begins with that. */
export function formatCost({
  id,
  version,
  parameters,
}: Pick<PhcHash, 'id' | 'version' | 'parameters'>): string {
  const list = Object.entries(parameters).map(([name, value]) => `${name}=${value}`)
  const parts = [
    id,
    ...(version === undefined ? [] : [`v=${version}`]),
    ...(list.length === 0 ? [] : [list.join()]),
  ]
  return parts.map((part) => `$${part}`).join('')
}

/**
 * Returns a hash of no password that begins with a cost: salt and output are zeros.
 *
 * @param outputBytes Default: 32
 */
export function toPhcDecoy(cost: string, outputBytes = 32): string {
  return `${cost}$${toBase64(new Uint8Array(16))}$${toBase64(new Uint8Array(outputBytes))}`
}
