import type {
  AccountForm,
  AccountRow,
  Context,
  SectionContent,
  SignedInUser,
} from '@latchkey/core/capability'
import { listSections } from '@latchkey/core/capability/factors'
import { getRowUrl, toKey } from './row-key.ts'

/** A form of the account page, and what names its page. */
export interface KeyedForm {
  readonly form: AccountForm
  readonly key: string
}

/** A row of the account page. */
export interface KeyedRow {
  readonly row: AccountRow
  /** What names the page with `change` and `removal`; undefined without them. */
  readonly key: string | undefined
  readonly form: KeyedForm | undefined
}

/** A part of the account page, as its capability gives it. */
export interface Part extends Pick<
  SectionContent,
  'heading' | 'text' | 'links' | 'render' | 'json'
> {
  readonly id: string
  readonly rows: readonly KeyedRow[]
  readonly forms: readonly KeyedForm[]
}

/** Reads what each capability shows of a user, in the order of the page. */
export function readParts(ctx: Context, signedIn: SignedInUser): Promise<readonly Part[]> {
  return Promise.all(
    listSections(ctx.service).map(async ({ id, read }) => {
      const { rows = [], forms = [], ...content } = await read(ctx, signedIn)
      const keyed = await Promise.all(rows.map(withKey))
      return { ...content, id, rows: keyed, forms: await Promise.all(forms.map(toKeyed)) }
    }),
  )
}

async function withKey(row: AccountRow): Promise<KeyedRow> {
  const paged = row.change ?? row.removal
  return {
    row,
    key: paged && (await toKey(paged)),
    form: row.form && (await toKeyed(row.form)),
  }
}

async function toKeyed(form: AccountForm): Promise<KeyedForm> {
  return { form, key: await toKey(form) }
}

/** The page of a row, or of a form that needs a confirmation first. */
export interface RowPage extends Pick<AccountRow, 'change' | 'removal'> {
  readonly key: string
  readonly url: string
  readonly row: AccountRow
}

/** Returns the page that a key names; undefined if it is gone. */
export function findPage(ctx: Context, parts: readonly Part[], key: string): RowPage | undefined {
  const page = { key, url: getRowUrl(ctx, key) }
  const rows = parts.flatMap((part) => part.rows)
  const held = rows.find((each) => each.key === key)
  if (held) return { ...page, row: held.row, ...toForms(held.row) }
  const forms = [...rows.flatMap(({ form }) => form ?? []), ...parts.flatMap((part) => part.forms)]
  const found = forms.find((each) => each.key === key)?.form
  const name = found?.heading ?? found?.button ?? ''
  return found && { ...page, row: { name }, change: { ...found, heading: name } }
}

function toForms({ name, change, removal }: AccountRow): Pick<RowPage, 'change' | 'removal'> {
  return {
    ...(change && { change: { ...change, heading: change.heading ?? name } }),
    ...(removal && { removal }),
  }
}
