import {
  MAX_FACTOR_NAME,
  createAuthFactors,
  takesLastWay,
  toFactorInfo,
  toTypeName,
} from '@latchkey/core/capability/factors'
import { getWayTexts } from '@latchkey/core/capability/pages'
import type {
  AccountForm,
  AccountRow,
  AccountSection,
  Asked,
  Context,
  SectionContent,
  Service,
} from '@latchkey/core/capability'
import type { Factor } from '@latchkey/core'
import type { AskedMethod } from './method.ts'
import { getFactorStorage, isEnrolled, listFactors } from './factors.ts'
import type { Methods } from './factors.ts'
import { getSecondFactorTexts } from './texts.ts'

/** Creates the section of the account page that shows and changes the second factors of a user. */
export function createAccountSection(methods: Methods): AccountSection {
  return {
    id: 'factors',
    rank: 30,
    read: (ctx, { user }) => readFactors(ctx, methods, user.id),
    changes: new Map([
      ['renameFactor', (asked) => renameFactor(methods, asked)],
      ['removeFactor', (asked) => removeFactor(methods, asked)],
    ]),
    removals: ['removeFactor'],
  }
}

async function readFactors(
  ctx: Context,
  methods: Methods,
  userId: string,
): Promise<SectionContent> {
  const { service, language } = ctx
  const { heading, accountText: text } = getSecondFactorTexts(language.messages)
  const factors = await listFactors(getFactorStorage(service), methods, userId)
  const asked = [...methods.values()].flatMap((method) => (method.isProvider ? [] : method))
  const backups = isEnrolled(methods, factors) ? asked.filter(({ isBackup }) => isBackup) : []
  const isHeld = ({ id }: AskedMethod): boolean => factors.some(({ type }) => type === id)
  const forms = [
    ...asked.filter(({ isBackup }) => !isBackup),
    ...backups.filter((method) => !isHeld(method)),
  ]
  return {
    heading,
    text,
    // A way to sign in is shown among the others.
    rows: factors
      .filter(({ type }) => !service.capabilities.signsInBy.includes(type))
      .map((factor) =>
        toRow(
          ctx,
          factor,
          backups.find(({ id }) => id === factor.type),
        ),
      ),
    forms: asked.length === 0 ? [] : forms.map((method) => toForm(ctx, method)),
    json: { factors: factors.map(toFactorInfo) },
  }
}

function toRow(
  ctx: Context,
  { type, id, name, createdAt, lastUsedAt }: Factor,
  backup: AskedMethod | undefined,
): AccountRow {
  const { messages } = ctx.language
  const { removeText } = getSecondFactorTexts(messages)
  const typeName = toTypeName(ctx.service, messages, type)
  const shown = { name: name ?? typeName, createdAt, lastUsedAt }
  if (backup) return { ...shown, form: toForm(ctx, backup) }
  const input = {
    name: 'name',
    label: getWayTexts(messages).name,
    value: name ?? '',
    maxLength: MAX_FACTOR_NAME,
  }
  return {
    ...shown,
    facts: name === null ? [] : [typeName],
    change: { fields: { action: 'renameFactor', type, id }, inputs: [input], needs: 'factor' },
    removal: {
      fields: { action: 'removeFactor', type, id },
      text: removeText,
      needs: 'factor',
    },
  }
}

/** Returns the form that begins to enrol a factor, or replaces recovery codes (I-53). */
function toForm(ctx: Context, { id, isBackup }: AskedMethod): AccountForm {
  const texts = getSecondFactorTexts(ctx.language.messages)
  return {
    url: `${ctx.baseUrl.href}/signin/${id}`,
    fields: { link: 'true' },
    button: isBackup ? texts.newCodes : texts.enrol,
    needs: 'factor',
  }
}

/** Names a second factor of the user: the fields `type`, `id` and `name`. */
async function renameFactor(methods: Methods, { ctx, user, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('factor')
  const factor = { type: get('type'), id: get('id') }
  const name = get('name').trim() || null
  await checkHeld(methods, ctx.service, user.id, factor, asked)
  const rename = (): Promise<boolean> =>
    createAuthFactors(ctx.service).rename(user.id, factor, name)
  if (!(await asked.checkName(MAX_FACTOR_NAME, rename))) throw asked.refuse(404, 'gone')
}

/** Removes a second factor of the user: the fields `type` and `id`. */
async function removeFactor(methods: Methods, { ctx, user, get, ...asked }: Asked): Promise<void> {
  await asked.checkRecent('factor')
  const factor = { type: get('type'), id: get('id') }
  await checkHeld(methods, ctx.service, user.id, factor, asked)
  const result = await createAuthFactors(ctx.service, ctx).remove(user.id, factor)
  if (result === 'unknown') throw asked.refuse(404, 'gone')
  if (result === 'removed') return
  const isLastWay = await takesLastWay(ctx, { ...factor, userId: user.id })
  throw asked.refuse(409, isLastWay ? 'lastWay' : 'lastFactor')
}

/** @throws Refusal with 404 if it is not a second factor of the user: ways to sign in have their own changes */
async function checkHeld(
  methods: Methods,
  service: Service,
  userId: string,
  factor: Pick<Factor, 'type' | 'id'>,
  { refuse }: Pick<Asked, 'refuse'>,
): Promise<void> {
  const factors = await listFactors(getFactorStorage(service), methods, userId)
  if (factors.some(({ type, id }) => type === factor.type && id === factor.id)) return
  throw refuse(404, 'gone')
}
