import { AuthError, providerError } from '../lib/errors.ts'
import { checkOwnOrigin } from '../kernel/gates.ts'
import type { Body } from '../http/body.ts'
import type { Capability, Context, PurposeRow, Service } from '../kernel/context.ts'
import { checkRecent } from '../kernel/points.ts'
import type { Provider, Purpose } from '../ports/provider.ts'
import { endedError } from '../session/is-alive.ts'
import { toSignIn } from './resolve-user.ts'

/** Links an account to the user of a session (I-39). */
const link: PurposeRow = {
  name: 'link',
  async checkStart(ctx, _, callbackUrl) {
    await checkHasUser(ctx)
    await checkRecent(ctx, callbackUrl, 'link')
  },
  async complete(ctx, provider, flow, identity) {
    const { storage, providers } = ctx.service
    if (!storage) throw endedError()
    const proven = toSignIn(providers, provider, identity)
    return storage.code.completeLink(ctx, storage, flow, proven)
  },
}

/**
 * Returns the purposes of flows besides signing in.
 *
 * @throws ConfigurationError if a field of a provider has the name of one
 */
export function createPurposes(
  capabilities: readonly Capability[],
  providers: ReadonlyMap<string, Provider>,
): ReadonlyMap<string, PurposeRow> {
  const rows = new Map([[link.name, link]])
  for (const { purposes = [] } of capabilities) {
    for (const row of purposes) {
      const { name } = row
      const taken = [...providers.values()].find(({ fields }) => fields && name in fields)
      if (taken) throw providerError(taken.id, `fields.${name}`, 'is a field of the protocol')
      rows.set(name, row)
    }
  }
  return rows
}

/** Returns what a posted form asks for: of several purposes the service's own, then the first by the ids of capabilities. */
export function getPurpose(
  { service }: { readonly service: Pick<Service, 'capabilities'> },
  { fields }: Body,
): Purpose {
  const names = [...service.capabilities.purposes.keys()]
  return names.find((name) => fields.get(name) === 'true') ?? 'signIn'
}

/**
 * Checks that a flow may begin with a purpose.
 *
 * @throws AuthError, Refusal
 */
export async function checkPurpose(
  ctx: Context,
  provider: Provider,
  { purpose, callbackUrl }: { readonly purpose: Purpose; readonly callbackUrl: string },
): Promise<void> {
  if (purpose === 'signIn') return
  checkOwnOrigin(ctx, `${purpose}=true`)
  await ctx.service.capabilities.purposes.get(purpose)?.checkStart(ctx, provider, callbackUrl)
}

/**
 * Checks that a request has a session, and the service a storage: what the user gets is stored.
 *
 * @throws AuthError `Default` (400), `SessionRequired`
 */
export async function checkHasUser(ctx: Context): Promise<void> {
  if (!ctx.service.storage) {
    // Any visitor can send the field: the configuration is as intended.
    throw new AuthError('Default', 'link needs the option storage', { status: 400 })
  }
  const { session } = await ctx.readSession()
  if (!session) throw new AuthError('SessionRequired', 'linking an account needs a session')
}
