import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { storageContract } from '@latchkey/core/testing/storage-contract'
import { expect, test } from 'vitest'

/** Replaces methods of a correct storage with faulty ones. */
type Fault = (storage: Storage) => Partial<Storage>

/** Storages that each break one rule of the port. */
const faults: Readonly<Record<string, Fault>> = {
  'createUser ignores the account': (s) => ({
    createUser: (user, _account, session) => s.createUser(user, undefined, session),
  }),
  'createUser ignores the session': (s) => ({
    createUser: (user, account) => s.createUser(user, account),
  }),
  'createUser moves the account of another user': (s) => ({
    async createUser(user, account, session) {
      const created = await s.createUser(user, undefined, session)
      if (created && account) await s.linkAccount(user.id, account)
      return created
    },
  }),
  'createUser stores the session of a refused user': (s) => ({
    async createUser(user, account, session) {
      const created = await s.createUser(user, account, session)
      const owner = user.email === null ? undefined : await s.getUserByEmail(user.email)
      if (!created && session && owner) await s.createSession(owner.id, session)
      return created
    },
  }),
  'createUser checks the email address before another call stores it': (s) => ({
    async createUser(user, account, session) {
      if (user.email !== null && (await s.getUserByEmail(user.email))) return undefined
      await pause()
      const created = await s.createUser({ ...user, emailVerified: false }, account, session)
      return created && { ...created, emailVerified: user.emailVerified }
    },
  }),
  'an unverified email address conflicts': (s) => {
    const taken = new Set<string>()
    return {
      async createUser(user, account, session) {
        if (user.email !== null && taken.has(user.email)) return undefined
        if (user.email !== null) taken.add(user.email)
        return s.createUser(user, account, session)
      },
    }
  },
  'getUserByEmail finds an unverified email address': (s) => {
    const ids: string[] = []
    return {
      async createUser(user, account, session) {
        ids.push(user.id)
        return s.createUser(user, account, session)
      },
      async getUserByEmail(email) {
        const users = await Promise.all(ids.map((id) => s.getUser(id)))
        return users.find((user) => user?.email === email)
      },
    }
  },
  'updateUser keeps emailVerified with another email address': (s) => ({
    async updateUser(id, changes) {
      const user = await s.getUser(id)
      const emailVerified = changes.emailVerified ?? user?.emailVerified ?? false
      return s.updateUser(id, { ...changes, emailVerified })
    },
  }),
  'updateUser resets emailVerified with every change': (s) => ({
    updateUser: (id, changes) => s.updateUser(id, { emailVerified: false, ...changes }),
  }),
  'updateUser changes the rest of a refused user': (s) => ({
    async updateUser(id, changes) {
      const updated = await s.updateUser(id, changes)
      const { email: _, emailVerified: __, ...rest } = changes
      if (!updated) await s.updateUser(id, rest)
      return updated
    },
  }),
  'updateUser takes a verified email address from its owner': (s) => ({
    async updateUser(id, changes) {
      const owner = changes.email ? await s.getUserByEmail(changes.email) : undefined
      if (changes.emailVerified && owner && owner.id !== id) {
        await s.updateUser(owner.id, { emailVerified: false })
      }
      return s.updateUser(id, changes)
    },
  }),
  'updateUser checks the email address before another call verifies it': (s) => {
    const verified = new Map<string, string>()
    return {
      async updateUser(id, changes) {
        const user = await s.getUser(id)
        const email = changes.email ?? user?.email ?? ''
        if (!user || changes.emailVerified !== true) return s.updateUser(id, changes)
        if (verified.has(email) && verified.get(email) !== id) return undefined
        await pause()
        verified.set(email, id)
        return { ...user, ...changes }
      },
    }
  },
  'deleteUser leaves the sessions': (s) => {
    const kept = new Map<string, Awaited<ReturnType<Storage['getSessionAndUser']>>>()
    return {
      async getSessionAndUser(id, now) {
        const found = await s.getSessionAndUser(id, now)
        return found ?? kept.get(id)
      },
      async createUser(user, account, session) {
        const created = await s.createUser(user, account, session)
        if (session) kept.set(session.id, await s.getSessionAndUser(session.id, session.createdAt))
        return created
      },
    }
  },
  'linkAccount moves an account from another user': (s) => ({
    async linkAccount(userId, account, verifiedEmail) {
      const { provider, providerAccountId } = account
      const owner = await s.getUserByAccount(provider, providerAccountId)
      if (owner && owner.id !== userId) {
        await s.linkAccount(owner.id, {
          ...account,
          providerAccountId: crypto.randomUUID(),
        })
        await s.unlinkAccount(owner.id, provider, providerAccountId)
      }
      return s.linkAccount(userId, account, verifiedEmail)
    },
  }),
  'linkAccount ignores the expected email address': (s) => ({
    linkAccount: (userId, account) => s.linkAccount(userId, account),
  }),
  'linkAccount accepts an unverified email address': (s) => ({
    async linkAccount(userId, account, verifiedEmail) {
      const user = await s.getUser(userId)
      if (verifiedEmail !== undefined && user?.email !== verifiedEmail) return false
      return s.linkAccount(userId, account)
    },
  }),
  'unlinkAccount lets any user unlink any account': (s) => ({
    async unlinkAccount(userId, provider, providerAccountId) {
      const accounts = await s.listAccounts(userId)
      const owner = await s.getUserByAccount(provider, providerAccountId)
      if (!owner || accounts.length < 2) return false
      return s.unlinkAccount(owner.id, provider, providerAccountId)
    },
  }),
  'unlinkAccount counts the accounts before another call unlinks one': (s) => {
    const unlinked = new Set<string>()
    const isLinked = (id: string): boolean => !unlinked.has(id)
    return {
      listAccounts: async (userId) =>
        (await s.listAccounts(userId)).filter((account) => isLinked(account.providerAccountId)),
      async unlinkAccount(userId, _provider, id) {
        const ids = (await s.listAccounts(userId)).map((account) => account.providerAccountId)
        if (!ids.includes(id) || ids.filter(isLinked).length < 2) return false
        await pause()
        unlinked.add(id)
        return true
      },
    }
  },
  'updateAccount ignores the expected refresh token': (s) => ({
    updateAccount: (provider, id, tokens) => s.updateAccount(provider, id, tokens),
  }),
  'a session never expires': (s) => ({
    getSessionAndUser: (id) => s.getSessionAndUser(id, 0),
  }),
  'a new session leaves the one that it replaces': (s) => ({
    createSession: (userId, session) =>
      s.createSession(userId, { ...session, replaces: undefined }),
  }),
  'updateSession creates a session that has ended': () => ({
    updateSession: async () => true,
  }),
  'listSessions returns the sessions of all users': (s) => {
    const { users, createUser } = recordUsers(s)
    return {
      createUser,
      async listSessions(_userId, now) {
        const lists = await Promise.all(users.map((id) => s.listSessions(id, now)))
        return lists.flat().toSorted((a, b) => b.createdAt - a.createdAt)
      },
    }
  },
  'deleteSessions ignores the exception': (s) => ({
    deleteSessions: (userId) => s.deleteSessions(userId),
  }),
  'deleteSessions deletes the sessions of all users': (s) => {
    const { users, createUser } = recordUsers(s)
    return {
      createUser,
      async deleteSessions(_userId, except) {
        for (const id of users) await s.deleteSessions(id, except)
      },
    }
  },
  'a session forgets the account that it began through': (s) => ({
    createSession: (userId, session) => s.createSession(userId, { ...session, account: undefined }),
  }),
  'the session of a new user forgets the account': (s) => ({
    createUser: (user, account, session) =>
      s.createUser(user, account, session && { ...session, account: undefined }),
  }),
  'deleteAccountSessions ignores the account': (s) => ({
    deleteAccountSessions: ({ provider, sid }) => s.deleteAccountSessions({ provider, sid }),
  }),
  'deleteAccountSessions ignores the session of the provider': (s) => ({
    deleteAccountSessions: ({ provider, providerAccountId }) =>
      s.deleteAccountSessions({ provider, providerAccountId }),
  }),
  'useVerificationToken leaves the token': () => {
    const kept = new Map<string, Awaited<ReturnType<Storage['useVerificationToken']>>>()
    return {
      async createVerificationToken(token) {
        kept.set(token.token, token)
      },
      async useVerificationToken(identifier, token, now) {
        const found = kept.get(token)
        return found && found.identifier === identifier && found.expires > now ? found : undefined
      },
    }
  },
  'useVerificationToken reads the token before another call deletes it': () => {
    const kept = new Map<string, Awaited<ReturnType<Storage['useVerificationToken']>>>()
    return {
      async createVerificationToken(token) {
        kept.set(token.token, token)
      },
      async useVerificationToken(identifier, token, now) {
        const found = kept.get(token)
        await pause()
        if (found?.identifier === identifier) kept.delete(token)
        return found && found.identifier === identifier && found.expires > now ? found : undefined
      },
    }
  },
  'useVerificationToken ignores the expiry': (s) => ({
    useVerificationToken: (identifier, token) => s.useVerificationToken(identifier, token, 0),
  }),
  'increment reads the count before another call changes it': () => {
    const counts = new Map<string, { count: number; resetsAt: number }>()
    return {
      async increment(key, window, now) {
        const { count, resetsAt } = counts.get(key) ?? {
          count: 0,
          resetsAt: now + window,
        }
        await pause()
        const next =
          resetsAt > now ? { count: count + 1, resetsAt } : { count: 1, resetsAt: now + window }
        counts.set(key, next)
        return next
      },
    }
  },
  'increment never starts again': (s) => ({
    increment: (key, window) => s.increment(key, window * 1000, 0),
  }),
  'a revocation never expires': (s) => ({
    getRevocation: (key) => s.getRevocation(key, 0),
  }),
  'a second revocation replaces the first': () => {
    const kept = new Map<string, { revokedAt: number; expires: number }>()
    return {
      async createRevocation({ key, ...times }) {
        kept.set(key, times)
      },
      async getRevocation(key, now) {
        const times = kept.get(key)
        return times && times.expires > now ? times.revokedAt : undefined
      },
    }
  },
}

test('a storage without a fault fulfils the contract', async () => {
  expect(await findFailures(() => ({}))).toEqual([])
})

test.for(Object.entries(faults))('the contract finds: %s', async ([, fault]) => {
  expect(await findFailures(fault)).not.toEqual([])
})

/** Returns the titles of the cases that a faulty storage fails. */
async function findFailures(fault: Fault): Promise<string[]> {
  const failures: string[] = []
  for (const { name, run } of storageContract) {
    const correct = memoryStorage()
    await run({ ...correct, ...fault(correct) }).catch(() => failures.push(name))
  }
  return failures
}

/** Lets concurrent calls run. */
/** Returns a `createUser` that records the ids of the users. */
function recordUsers(storage: Storage): Pick<Storage, 'createUser'> & { readonly users: string[] } {
  const users: string[] = []
  return {
    users,
    createUser(user, account, session) {
      users.push(user.id)
      return storage.createUser(user, account, session)
    },
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
