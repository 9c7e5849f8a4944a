type Row = Readonly<Record<string, unknown>>

/** Keeps the users of Auth.js in memory, with the methods that its adapters have. */
export function createMemoryAdapter(): object {
  const users: Row[] = []
  const accounts: Row[] = []
  const tokens: Row[] = []
  return {
    async createUser(user: Row) {
      const created = { ...user, id: crypto.randomUUID() }
      users.push(created)
      return created
    },
    getUser: async (id: string) => find(users, { id }),
    getUserByEmail: async (email: string) => find(users, { email }),
    async getUserByAccount({ provider, providerAccountId }: Row) {
      const account = find(accounts, { provider, providerAccountId })
      return account && find(users, { id: account['userId'] })
    },
    async updateUser(changes: Row) {
      const index = users.findIndex(({ id }) => id === changes['id'])
      const updated = { ...users[index], ...changes }
      users[index] = updated
      return updated
    },
    linkAccount: async (account: Row) => void accounts.push(account),
    async createVerificationToken(token: Row) {
      tokens.push(token)
      return token
    },
    async useVerificationToken({ identifier, token }: Row) {
      const index = tokens.findIndex(
        (row) => row['identifier'] === identifier && row['token'] === token,
      )
      return index === -1 ? null : tokens.splice(index, 1)[0]
    },
  }
}

/** Returns the row with some values; null if there is none, as Auth.js asks for. */
function find(rows: readonly Row[], values: Row): Row | null {
  return (
    rows.find((row) => Object.entries(values).every(([name, value]) => row[name] === value)) ?? null
  )
}
