import type {
  AuthjsAccount,
  AuthjsAdapter,
  AuthjsSession,
  AuthjsUser,
  AuthjsVerificationToken,
} from '@latchkey/storage-authjs'

/**
 * An Auth.js adapter in memory. Like some published adapters, it numbers its users, and throws if a
 * record to update or delete does not exist.
 */
export class FakeAdapter implements AuthjsAdapter {
  readonly users: AuthjsUser[] = []
  readonly accounts: AuthjsAccount[] = []
  readonly sessions: AuthjsSession[] = []
  readonly tokens: AuthjsVerificationToken[] = []
  #last = 0

  async createUser(user: AuthjsUser): Promise<AuthjsUser> {
    if (this.users.some(({ email }) => email === user.email)) throw new Error('unique: email')
    const created = { ...user, id: ++this.#last }
    this.users.push(created)
    return created
  }
  async getUser(id: string): Promise<AuthjsUser | null> {
    return this.users.find((user) => user.id === Number(id)) ?? null
  }
  async getUserByEmail(email: string): Promise<AuthjsUser | null> {
    return this.users.find((user) => user.email === email) ?? null
  }
  async getUserByAccount(name: {
    provider: string
    providerAccountId: string
  }): Promise<AuthjsUser | null> {
    const account = this.accounts.find((one) => isSame(one, name))
    return this.users.find(({ id }) => id === account?.userId) ?? null
  }
  async updateUser({ id, ...changes }: Partial<AuthjsUser>): Promise<AuthjsUser> {
    return Object.assign(assertFound(this.users.find((user) => user.id === id)), changes)
  }
  async deleteUser(id: AuthjsUser['id']): Promise<void> {
    // As in SQL, a text that is a number equals the number.
    const isOther = ({ userId }: { userId: AuthjsUser['id'] }): boolean => userId !== Number(id)
    removeFrom(this.users, (user) => user.id === Number(id))
    this.accounts.splice(0, Infinity, ...this.accounts.filter(isOther))
    this.sessions.splice(0, Infinity, ...this.sessions.filter(isOther))
  }
  async linkAccount(account: AuthjsAccount): Promise<void> {
    if (this.accounts.some((one) => isSame(one, account))) throw new Error('unique: account')
    this.accounts.push(account)
  }
  async createSession(session: AuthjsSession): Promise<AuthjsSession> {
    this.sessions.push(session)
    return session
  }
  async getSessionAndUser(
    id: string,
  ): Promise<{ session: AuthjsSession; user: AuthjsUser } | null> {
    const session = this.sessions.find(({ sessionToken }) => sessionToken === id)
    const user = this.users.find((one) => one.id === session?.userId)
    return session && user ? { session, user } : null
  }
  async updateSession({ sessionToken, expires }: Partial<AuthjsSession>): Promise<AuthjsSession> {
    const session = assertFound(this.sessions.find((one) => one.sessionToken === sessionToken))
    return Object.assign(session, { expires })
  }
  async deleteSession(id: string): Promise<void> {
    removeFrom(this.sessions, ({ sessionToken }) => sessionToken === id)
  }
  async createVerificationToken(token: AuthjsVerificationToken): Promise<void> {
    if (this.tokens.some((one) => one.token === token.token)) throw new Error('unique: token')
    this.tokens.push(token)
  }
  async useVerificationToken({
    identifier,
    token,
  }: {
    identifier: string
    token: string
  }): Promise<AuthjsVerificationToken | null> {
    const kept = this.tokens.find((one) => one.token === token && one.identifier === identifier)
    if (kept) removeFrom(this.tokens, (one) => one === kept)
    return kept ?? null
  }
}

type AccountKey = Pick<AuthjsAccount, 'provider' | 'providerAccountId'>

function isSame(one: AccountKey, other: AccountKey): boolean {
  return one.provider === other.provider && one.providerAccountId === other.providerAccountId
}

function removeFrom<T>(list: T[], matches: (item: T) => boolean): void {
  const index = list.findIndex(matches)
  if (index === -1) throw new Error('record to delete does not exist')
  list.splice(index, 1)
}

function assertFound<T>(item: T | undefined): T {
  if (item === undefined) throw new Error('record to update does not exist')
  return item
}
