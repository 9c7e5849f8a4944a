import type { Draw } from './draw.ts'
import { drawJson, drawText, drawTextEdit, editText } from './texts.ts'
import type { TextEdit } from './texts.ts'

/** A member of an object that is replaced; without `value` it is removed. */
export interface MemberEdit {
  readonly name: string
  readonly value?: unknown
}

/** Draws replacements of members. `values` are those that are likely to be accepted by mistake. */
export function drawMemberEdits(
  draw: Draw,
  names: readonly string[],
  values: readonly unknown[] = [],
): readonly MemberEdit[] {
  return draw.list(3, (d) => ({
    name: d.once(8) ? drawText(d) : d.pick(names),
    ...d.any(
      () => ({}),
      (each) => ({ value: drawJson(each) }),
      (each) => (values.length === 0 ? {} : { value: each.pick(values) }),
      (each) => (values.length === 0 ? {} : { value: each.pick(values) }),
    ),
  }))
}

/** Replaces members of an object. */
export function editMembers(
  object: Readonly<Record<string, unknown>>,
  edits: readonly MemberEdit[],
): Record<string, unknown> {
  const members = new Map(Object.entries(object))
  for (const edit of edits) {
    if ('value' in edit) members.set(edit.name, edit.value)
    else members.delete(edit.name)
  }
  return Object.fromEntries(members)
}

/** How an HTTP response with JSON is altered. */
export interface ResponseEdit {
  readonly members: readonly MemberEdit[]
  /** Alters the text after that. */
  readonly text?: TextEdit
  readonly status: number
  readonly type: string
}

/** Draws how a response is altered. */
export function drawResponseEdit(
  draw: Draw,
  names: readonly string[],
  values: readonly unknown[] = [],
): ResponseEdit {
  const isOdd = draw.once(6)
  return {
    members: drawMemberEdits(draw, names, values),
    ...(draw.once(4) && { text: drawTextEdit(draw) }),
    status: isOdd ? draw.pick([200, 201, 204, 301, 302, 400, 401, 403, 404, 429, 500, 503]) : 200,
    type: isOdd
      ? draw.pick(['application/json', 'text/html', 'application/jwt', 'text/plain', ''])
      : 'application/json',
  }
}

/** Alters the JSON of a response. Returns its text, too, which the service reads. */
export async function editResponse(
  response: Response,
  { members, text: edit, status, type }: ResponseEdit,
): Promise<{ readonly response: Response; readonly text: string }> {
  const json = (await response.json()) as Record<string, unknown>
  const whole = JSON.stringify(editMembers(json, members))
  const text = edit ? editText(whole, edit) : whole
  const headers = {
    ...(type !== '' && { 'content-type': type }),
    location: 'https://evil.example/',
  }
  const hasBody = status !== 204
  return { response: new Response(hasBody ? text : null, { status, headers }), text }
}

/** Parses an object of JSON; undefined for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined
  } catch {
    return undefined
  }
}
