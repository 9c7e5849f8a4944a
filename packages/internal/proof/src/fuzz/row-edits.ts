import type { Draw } from './draw.ts'
import { drawJson, drawTextEdit, editText } from './texts.ts'
import type { TextEdit } from './texts.ts'

/** How one answer of a database is altered. */
export interface RowEdit {
  /** Which answer, counted from the first request of the case. */
  readonly call: number
  readonly how: 'value' | 'missing' | 'text' | 'no-rows' | 'twice' | 'fail'
  /** Which value of the answer. */
  readonly at: number
  readonly value: unknown
  readonly edit: TextEdit
}

/** Draws an alteration. */
export function drawRowEdit(draw: Draw): RowEdit {
  return {
    call: draw.below(12),
    how: draw.pick(['value', 'text', 'missing', 'value', 'no-rows', 'twice', 'fail'] as const),
    at: draw.below(24),
    value: draw.once(3) ? drawJson(draw) : draw.pick(values),
    edit: drawTextEdit(draw),
  }
}

// prettier-ignore
const values = [
  null, '', 0, 1, -1, 1.5, 2 ** 53, '1800000000', 1_900_000_000, '{}', '[]', 'null', '{"a":',
  '{"token":{}}', 'x'.repeat(100_000), true, [], {}, '"a"', 'alice', '\0', '\ud800',
]

/** The text of a failure of the database, which no response may have. */
export const DATABASE_ERROR = 'relation "secret_table" does not exist'

/**
 * Alters an answer of a database: rows with named columns, or lists of texts as Redis has them.
 *
 * @throws Error as a database client does, for `fail`
 */
export function editRows(answer: unknown, edit: RowEdit): unknown {
  const { how } = edit
  if (how === 'fail') throw new Error(DATABASE_ERROR)
  if (how === 'no-rows') return Array.isArray(answer) ? [] : null
  if (how === 'twice') return Array.isArray(answer) ? [...answer, ...answer] : answer
  const places = listPlaces(answer)
  const place = places[edit.at % Math.max(places.length, 1)]
  return place ? editPlace(answer, place, edit) : toValue(answer, edit)
}

type Place = readonly (string | number)[]

/** Lists where the values of an answer are. */
function listPlaces(value: unknown, place: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return place.length === 0 ? [] : [place]
  return Object.entries(value).flatMap(([name, member]) =>
    listPlaces(member, [...place, Array.isArray(value) ? Number(name) : name]),
  )
}

function editPlace(value: unknown, [first, ...rest]: Place, edit: RowEdit): unknown {
  if (first === undefined || typeof value !== 'object' || value === null)
    return toValue(value, edit)
  const isRemoved = rest.length === 0 && edit.how === 'missing'
  if (Array.isArray(value)) {
    const index = Number(first)
    return isRemoved
      ? value.toSpliced(index, 1)
      : value.with(index, editPlace(value[index], rest, edit))
  }
  const members = new Map(Object.entries(value))
  if (isRemoved) members.delete(String(first))
  else members.set(String(first), editPlace(members.get(String(first)), rest, edit))
  return Object.fromEntries(members)
}

/** A text is altered, or becomes another value. */
function toValue(value: unknown, { how, value: other, edit }: RowEdit): unknown {
  return how === 'text' && typeof value === 'string' ? editText(value, edit) : other
}
