import type { NewFactor, NewSession, Storage, StoredUser, Tokens } from '@latchkey/core'
import type { Operation } from './storage-operations.ts'

/** Seconds since 1970, near enough to the present for a server that deletes what has expired. */
const now0 = Math.floor(Date.now() / 1000)

/** Runs the calls of one case on a storage. Its records have names that no other case has. */
export class StorageCalls {
  readonly #storage: Required<Storage>
  readonly #space: string
  readonly #sessions: number[] = []
  readonly #givenTokens = new Set<string>()
  #now = now0
  #sessionCount = 0

  constructor(storage: Storage, space: string) {
    this.#storage = storage as Required<Storage>
    this.#space = space
  }

  /** Makes a call, and returns its result, or that it rejected. */
  async call(operation: Operation): Promise<unknown> {
    this.#now += operation.wait
    try {
      const result = await this.#calls[operation.method](operation)
      return JSON.parse(JSON.stringify(result ?? null).replaceAll(`${this.#space}.`, '')) as unknown
    } catch (thrown) {
      return `rejected${thrown instanceof TypeError ? ': TypeError' : ''}`
    }
  }

  readonly #calls: Readonly<Record<Operation['method'], (op: Operation) => Promise<unknown>>> = {
    createUser: (op) => {
      const account = op.hasAccount ? this.#toAccount(op) : undefined
      const session = op.hasSession ? this.#toSession(op) : undefined
      const factors = op.hasFactor ? [this.#toFactor(op)] : []
      return this.#storage.createUser(this.#toUser(op), account, session, undefined, ...factors)
    },
    getUser: ({ id }) => this.#storage.getUser(this.#name(id)),
    getUserByEmail: ({ user }) => this.#storage.getUserByEmail(this.#name(user.email ?? 'x')),
    getUserByAccount: ({ provider, subject }) =>
      this.#storage.getUserByAccount(provider, this.#name(subject)),
    updateUser: ({ id, user, hasAccount, hasSession }) => {
      const { id: _, ...changes } = this.#toUser({ id, user })
      const { email, emailVerified, ...others } = changes
      return this.#storage.updateUser(this.#name(id), {
        ...(hasAccount && others),
        ...(hasSession && { email }),
        ...(hasSession && hasAccount && { emailVerified }),
      })
    },
    deleteUser: ({ id }) => this.#storage.deleteUser(this.#name(id)),
    linkAccount: (op) => {
      const email = op.email === null ? undefined : this.#name(op.email)
      return this.#storage.linkAccount(
        this.#name(op.id),
        this.#toAccount(op),
        op.isStale ? null : email,
      )
    },
    listAccounts: async ({ id }) => sort(await this.#storage.listAccounts(this.#name(id))),
    updateAccount: ({ provider, subject, tokens, expected }) =>
      this.#storage.updateAccount(provider, this.#name(subject), tokens, expected ?? undefined),
    unlinkAccount: ({ id, provider, subject }) =>
      this.#storage.unlinkAccount(this.#name(id), provider, this.#name(subject)),
    createSession: (op) => this.#storage.createSession(this.#name(op.id), this.#toSession(op)),
    getSessionAndUser: ({ session }) =>
      this.#storage.getSessionAndUser(this.#findSession(session), this.#now),
    updateSession: async ({ session, lifetime, data }) => {
      const id = this.#findSession(session)
      // Whether an expired session that was not deleted yet can be updated is not specified.
      if (!(await this.#storage.getSessionAndUser(id, this.#now))) return 'expired'
      const changes = { renewedAt: this.#now, expires: this.#now + lifetime, data }
      return this.#storage.updateSession(id, changes)
    },
    deleteSession: ({ session }) => this.#storage.deleteSession(this.#findSession(session)),
    listSessions: async ({ id }) =>
      sort(await this.#storage.listSessions(this.#name(id), this.#now)),
    deleteSessions: ({ id, session, isStale }) =>
      this.#storage.deleteSessions(
        this.#name(id),
        isStale ? undefined : this.#findSession(session),
      ),
    // The ids of expired sessions depend on whether they were deleted before.
    deleteAccountSessions: async ({ provider, subject, sid, hasAccount }) => {
      await this.#storage.deleteAccountSessions({
        provider,
        ...(hasAccount && { providerAccountId: this.#name(subject) }),
        ...(sid !== null && { sid: this.#name(sid) }),
      })
    },
    createVerificationToken: async ({ subject, expected, lifetime }) => {
      const token = `${expected} of ${subject}`
      // A token is random: the same one is never created twice.
      if (this.#givenTokens.has(token)) return 'given'
      this.#givenTokens.add(token)
      const identifier = this.#name(subject)
      await this.#storage.createVerificationToken({
        identifier,
        token,
        expires: this.#now + lifetime,
      })
      return 'created'
    },
    useVerificationToken: ({ subject, expected }) =>
      this.#storage.useVerificationToken(
        this.#name(subject),
        `${expected} of ${subject}`,
        this.#now,
      ),
    increment: ({ subject, lifetime, by }) =>
      this.#storage.increment(this.#name(subject), lifetime === 50 ? 60 : 600, this.#now, by),
    createRevocation: ({ subject, lifetime, session }) =>
      this.#storage.createRevocation({
        key: this.#name(subject),
        revokedAt: this.#now - session * 10,
        expires: this.#now + lifetime,
      }),
    getRevocation: ({ subject }) => this.#storage.getRevocation(this.#name(subject), this.#now),
    createFactor: (op) => this.#storage.createFactor(this.#name(op.id), this.#toFactor(op)),
    getFactorAndUser: async ({ type, subject }) => {
      const found = await this.#storage.getFactorAndUser(type, this.#name(subject))
      return found && { ...found, factor: withoutVersion(found.factor) }
    },
    listFactors: async ({ id }) =>
      sort((await this.#storage.listFactors(this.#name(id))).map(withoutVersion)),
    updateFactor: async ({ type, subject, isStale, data, user }) => {
      const id = this.#name(subject)
      const { version = 'none' } = (await this.#storage.getFactorAndUser(type, id))?.factor ?? {}
      const changes = { data, name: toFactorName(user.name), changedAt: this.#now }
      return this.#storage.updateFactor(type, id, isStale ? `${version}x` : version, changes)
    },
    deleteFactor: ({ id, type, subject }) =>
      this.#storage.deleteFactor(this.#name(id), type, this.#name(subject)),
  }

  #name(text: string): string {
    return `${this.#space}.${text}`
  }

  #toUser({ id, user }: Pick<Operation, 'id' | 'user'>): StoredUser {
    const email = user.email === null ? null : this.#name(user.email)
    return {
      ...user,
      id: this.#name(id),
      email,
      emailVerified: email !== null && user.emailVerified,
    }
  }

  #toAccount({ provider, subject, tokens }: Operation) {
    return {
      provider,
      type: 'oauth',
      providerAccountId: this.#name(subject),
      ...(tokens as Tokens),
    }
  }

  #toSession({
    provider,
    subject,
    sid,
    hasAccount,
    lifetime,
    data,
    isReplaced,
    session,
  }: Operation): NewSession {
    const replaces =
      isReplaced && this.#sessions.length > 0 ? this.#findSession(session) : undefined
    const number = this.#sessionCount++
    this.#sessions.push(number)
    const account = {
      provider,
      providerAccountId: this.#name(subject),
      ...(sid !== null && { sid: this.#name(sid) }),
    }
    return {
      id: this.#name(`session${number}`),
      createdAt: this.#now,
      renewedAt: this.#now,
      expires: this.#now + lifetime,
      data,
      ...(hasAccount && { account }),
      ...(replaces !== undefined && { replaces }),
    }
  }

  #toFactor({ type, subject, user, data }: Operation): NewFactor {
    const name = toFactorName(user.name)
    const times = { changedAt: this.#now, createdAt: this.#now, lastUsedAt: null }
    return { type, id: this.#name(subject), name, data, ...times }
  }

  #findSession(index: number): string {
    const count = this.#sessions.length
    return this.#name(`session${count === 0 ? 99 : (this.#sessions[index % count] ?? 99)}`)
  }
}

/** The name of a factor has at most 64 characters. */
function toFactorName(name: string | null): string | null {
  return name === null ? null : Array.from(name).slice(0, 64).join('')
}

function withoutVersion(factor: { readonly version: string }): object {
  return { ...factor, version: 'any' }
}

/** Sorts records, because the order of records of one second is not specified. */
function sort(records: readonly object[]): readonly object[] {
  return records.toSorted((a, b) => (toText(a) < toText(b) ? -1 : 1))
}

/** Returns the JSON of a record, whatever the order of its members. */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
