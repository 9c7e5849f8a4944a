import type {
  AccountRow,
  AccountSection,
  Asked,
  Context,
  SectionContent,
  SignedInUser,
} from '@latchkey/core/capability'
import { getGrantName } from './clients/shown-name.ts'
import { deleteGrants, emit } from './events.ts'
import { listUsedGrants } from './grant.ts'
import type { UsedGrant } from './grant.ts'
import type { Settings } from './settings.ts'
import { getTexts } from './texts.ts'

const REMOVE = 'removeApplication'

/** Creates the section of the account page: one row for each client that may act for the user. */
export function createSection(settings: Settings): AccountSection {
  return {
    id: 'applications',
    rank: 35,
    read: (ctx, signedIn) => read(ctx, signedIn, settings),
    changes: new Map([[REMOVE, remove]]),
  }
}

async function read(
  ctx: Context,
  { user }: Pick<SignedInUser, 'user'>,
  settings: Settings,
): Promise<SectionContent> {
  const texts = getTexts(ctx)
  const byClient = new Map<string, readonly UsedGrant[]>()
  for (const each of await listUsedGrants(ctx.service, user.id, ctx.now)) {
    const { clientId } = each.grant
    byClient.set(clientId, [...(byClient.get(clientId) ?? []), each])
  }
  const rows = [...byClient].map(([id, grants]): AccountRow & { readonly id: string } => ({
    id,
    name: grants[0] ? getGrantName(settings, grants[0].grant, grants[0].data) : id,
    createdAt: Math.min(...grants.map(({ grant }) => grant.createdAt)),
    lastUsedAt: Math.max(...grants.map(({ grant }) => grant.changedAt)),
    form: { fields: { action: REMOVE, id }, button: texts.removeApplication },
  }))
  const applications = rows.map(({ id, name, createdAt, lastUsedAt }) => {
    return { id, name, createdAt, lastUsedAt }
  })
  return {
    heading: texts.applications,
    text: texts.applicationsText,
    rows,
    json: { applications },
  }
}

/** Ends all grants of a client, also those whose code was not used yet. */
async function remove({ ctx, user, get, refuse }: Asked): Promise<void> {
  const clientId = get('id')
  const used = await listUsedGrants(ctx.service, user.id, ctx.now)
  if (!used.some(({ grant }) => grant.clientId === clientId)) throw refuse(404, 'gone')
  const selection = { userId: user.id, clientId }
  await deleteGrants(ctx, selection)
  emit(ctx, 'removeGrant', selection)
}
