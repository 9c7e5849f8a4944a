import type { Clients, Factors, Grants, StorageGroup, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { requireFactors } from '@latchkey/testing/factors-contract'
import { requireClients, requireGrants } from '@latchkey/testing/grants-contract'
import { getStorageCases, storageContract } from '@latchkey/testing/storage-contract'
import type { StorageCase } from '@latchkey/testing/storage-contract'
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
    linkAccount: (userId, account, expected) =>
      s.linkAccount(userId, account, expected === null ? null : undefined),
  }),
  'linkAccount with null ignores the accounts': (s) => ({
    async linkAccount(userId, account, expected) {
      const user = await s.getUser(userId)
      if (expected === null && user?.emailVerified) return false
      return s.linkAccount(userId, account, expected ?? undefined)
    },
  }),
  'linkAccount with null ignores the verified email address': (s) => ({
    async linkAccount(userId, account, expected) {
      const accounts = await s.listAccounts(userId)
      if (expected === null && accounts.length > 0) return false
      return s.linkAccount(userId, account, expected ?? undefined)
    },
  }),
  'linkAccount with null counts the accounts before another call links one': (s) => ({
    async linkAccount(userId, account, expected) {
      const user = await s.getUser(userId)
      const accounts = await s.listAccounts(userId)
      if (expected === null && (accounts.length > 0 || user?.emailVerified)) return false
      await pause()
      return s.linkAccount(userId, account, expected ?? undefined)
    },
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
  'an account forgets when it was linked': (s) => ({
    linkAccount: (userId, account, ...rest) =>
      s.linkAccount(userId, { ...account, createdAt: undefined }, ...rest),
  }),
  'createSession does not set when its account was used': (s) => ({
    async createSession(userId, session, events) {
      const account = session.account && { ...session.account, provider: 'another' }
      return s.createSession(userId, { ...session, account }, events)
    },
  }),
  'createSession uses an account of any user': (s) => ({
    async createSession(userId, session, events) {
      const { provider = '', providerAccountId = '' } = session.account ?? {}
      await s.updateAccount(provider, providerAccountId, { lastUsedAt: session.createdAt })
      return s.createSession(userId, session, events)
    },
  }),
  'updateAccount ignores the time': (s) => ({
    updateAccount(provider, id, changes, expected) {
      const { lastUsedAt: _, ...tokens } = changes
      return s.updateAccount(provider, id, tokens, expected)
    },
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

/** Storages that each break one rule of the capability `userLists`. */
const userListFaults: Readonly<Record<string, Fault>> = {
  'listUsers pages by the number of users before': (s) => {
    const before = new Map<string | undefined, number>([[undefined, 0]])
    return {
      async listUsers(limit, after) {
        const start = before.get(after) ?? 0
        const page = (await listUsers(s, 1e6)).slice(start, start + limit)
        before.set(page.at(-1)?.id, start + page.length)
        return page
      },
    }
  },
  'listUsers finds the next page by the last user, who must exist': (s) => ({
    listUsers: async (limit, after) =>
      after === undefined || (await s.getUser(after)) ? listUsers(s, limit, after) : [],
  }),
  'listUsers repeats the last user of the previous page': (s) => ({
    async listUsers(limit, after) {
      const last = after === undefined ? undefined : await s.getUser(after)
      return [...(last ? [last] : []), ...(await listUsers(s, limit, after))].slice(0, limit)
    },
  }),
  'listUsers ignores the limit': (s) => ({ listUsers: (_, after) => listUsers(s, 1e6, after) }),
  'listUsers orders each page by the name': (s) => ({
    async listUsers(limit, after) {
      const page = await listUsers(s, limit, after)
      return page.toReversed()
    },
  }),
  'listUsers leaves out users without an email address': (s) => ({
    async listUsers(limit, after) {
      return (await listUsers(s, limit, after)).filter(({ email }) => email !== null)
    },
  }),
}

/** Storages that each break one rule of the capability `outbox`. */
const outboxFaults: Readonly<Record<string, Fault>> = {
  'createUser loses its events': (s) => ({
    createUser: (user, account, session) => s.createUser(user, account, session),
  }),
  'createUser stores the events of a refused user': (s) => ({
    async createUser(user, account, session, events) {
      const created = await s.createUser(user, account, session, events)
      if (!created) await s.deleteSession('', events)
      return created
    },
  }),
  'createUser chooses the id': (s) => ({
    createUser: (user, ...rest) => s.createUser({ ...user, id: crypto.randomUUID() }, ...rest),
  }),
  'updateUser stores the events of a refused change': (s) => ({
    async updateUser(id, changes, events) {
      await s.deleteSession('', events)
      return s.updateUser(id, changes)
    },
  }),
  'deleteUser loses its events': (s) => ({ deleteUser: (id) => s.deleteUser(id) }),
  'linkAccount stores its events before it links': (s) => ({
    async linkAccount(userId, account, verifiedEmail, events) {
      await s.deleteSession('', events)
      return s.linkAccount(userId, account, verifiedEmail)
    },
  }),
  'unlinkAccount stores the events of a refused call': (s) => ({
    async unlinkAccount(userId, provider, providerAccountId, events) {
      await s.deleteSession('', events)
      return s.unlinkAccount(userId, provider, providerAccountId)
    },
  }),
  'createSession stores the events of an unknown user': (s) => ({
    async createSession(userId, session, events) {
      await s.deleteSession('', events)
      return s.createSession(userId, session)
    },
  }),
  'updateSession loses its events': (s) => ({
    updateSession: (id, changes) => s.updateSession(id, changes),
  }),
  'deleteSession stores no events without a session': (s) => ({
    async deleteSession(id, events) {
      const found = await s.getSessionAndUser(id, 0)
      return s.deleteSession(id, found && events)
    },
  }),
  'deleteSessions loses its events': (s) => ({
    deleteSessions: (userId, except) => s.deleteSessions(userId, except),
  }),
  'deleteAccountSessions forgets the sessions that it deleted': (s) => ({
    async deleteAccountSessions(sessions, events) {
      await s.deleteSession('', events)
      return s.deleteAccountSessions(sessions)
    },
  }),
  'takeEvents reads the events before another call takes them': (s) => ({
    async takeEvents(limit, lease, now) {
      const taken = await s.takeEvents(limit, 0, now)
      await pause()
      for (const { id, attempts } of taken) await s.postponeEvent(id, attempts, now + lease)
      return taken
    },
  }),
  'takeEvents never gives an event again': (s) => ({
    takeEvents: (limit, _lease, now) => s.takeEvents(limit, 1_000_000, now),
  }),
  'takeEvents returns the latest events': (s) => ({
    async takeEvents(limit, lease, now) {
      return (await s.takeEvents(limit, lease, now)).toReversed()
    },
  }),
  'takeEvents returns expired events': (s) => ({
    async takeEvents(limit, lease, now) {
      const expired = await s.purgeEvents(limit, now)
      const taken = await s.takeEvents(limit, lease, now)
      return [...expired.map((event) => ({ ...event, attempts: 1 })), ...taken]
    },
  }),
  'postponeEvent ignores that the event was taken again': (s) => ({
    async postponeEvent(id, attempts, due) {
      for (let n = attempts; n < attempts + 5; n++) {
        if (await s.postponeEvent(id, n, due)) return true
      }
      return false
    },
  }),
  'deleteEvents deletes one event': (s) => ({
    deleteEvents: (ids) => s.deleteEvents(ids.slice(1)),
  }),
  'purgeEvents ignores the limit': (s) => ({ purgeEvents: (_, now) => s.purgeEvents(1e6, now) }),
}

/** Storages that each break one rule of the capability `factors`. */
const factorFaults: Readonly<Record<string, (s: Storage & Factors) => Partial<Storage>>> = {
  'createUser loses its factor': (s) => ({
    createUser: (user, account, session, events) => s.createUser(user, account, session, events),
  }),
  'createUser stores its factor in a second step': (s) => ({
    async createUser(user, account, session, events, ...factors) {
      const created = await s.createUser(user, account, session, events)
      for (const factor of created ? factors : []) await s.createFactor(user.id, factor)
      return created
    },
  }),
  'createUser stores only its first factor': (s) => ({
    createUser: (user, account, session, events, ...factors) =>
      s.createUser(user, account, session, events, ...factors.slice(0, 1)),
  }),
  'createFactor replaces a factor': (s) => ({
    async createFactor(userId, factor) {
      const found = await s.getFactorAndUser(factor.type, factor.id)
      if (!found) return s.createFactor(userId, factor)
      const { version } = found.factor
      return s.updateFactor(factor.type, factor.id, version, { data: factor.data })
    },
  }),
  'createFactor cuts the name': (s) => ({
    createFactor: (userId, factor) =>
      s.createFactor(userId, { ...factor, name: factor.name?.slice(0, 64) ?? null }),
  }),
  'createFactor cuts the data': (s) => ({
    createFactor: (userId, factor) =>
      s.createFactor(userId, { ...factor, data: factor.data.slice(0, 8000) }),
  }),
  'factors of all types share their ids': (s) => ({
    createFactor: async (userId, factor) =>
      !(await s.getFactorAndUser('passkey', factor.id)) && s.createFactor(userId, factor),
  }),
  'ids of factors are compared without case': (s) => ({
    createFactor: (userId, factor) =>
      s.createFactor(userId, { ...factor, id: factor.id.toLowerCase() }),
    getFactorAndUser: (type, id) => s.getFactorAndUser(type, id.toLowerCase()),
  }),
  'listFactors returns the latest first': (s) => ({
    listFactors: async (userId) => (await s.listFactors(userId)).toReversed(),
  }),
  'updateFactor ignores the version': (s) => ({
    async updateFactor(type, id, _version, changes) {
      const found = await s.getFactorAndUser(type, id)
      return s.updateFactor(type, id, found?.factor.version ?? '', changes)
    },
  }),
  'updateFactor compares the version before it writes': (s) => ({
    async updateFactor(type, id, version, changes) {
      const before = await s.getFactorAndUser(type, id)
      await pause()
      if (before?.factor.version !== version) return false
      const found = await s.getFactorAndUser(type, id)
      return s.updateFactor(type, id, found?.factor.version ?? '', changes)
    },
  }),
  'updateFactor ignores null': (s) => ({
    updateFactor: (type, id, version, { name, ...changes }) =>
      s.updateFactor(type, id, version, { ...changes, ...(name && { name }) }),
  }),
  'deleteFactor ignores the user': (s) => ({
    async deleteFactor(_userId, type, id, ...rest) {
      const found = await s.getFactorAndUser(type, id)
      return s.deleteFactor(found?.user.id ?? '', type, id, ...rest)
    },
  }),
  'deleteFactor counts every factor': (s) => ({
    async deleteFactor(userId, type, id, ...rest) {
      const factors = await s.listFactors(userId)
      const [other] = factors.filter((factor) => factor.id !== id)
      if (!other) return s.deleteFactor(userId, type, id, ...rest)
      const account = { provider: 'spare', type: 'oauth', providerAccountId: crypto.randomUUID() }
      await s.linkAccount(userId, account)
      return s.deleteFactor(userId, type, id, ...rest)
    },
  }),
  'deleteFactor counts before it deletes': (s) => ({
    async deleteFactor(userId, type, id, ...rest) {
      const ways = (await s.listFactors(userId)).filter((each) => each.type !== 'totp')
      const count = ways.length + (await s.listAccounts(userId)).length
      await pause()
      if (count < 2) return s.deleteFactor(userId, type, id, ...rest)
      const account = { provider: 'spare', type: 'oauth', providerAccountId: crypto.randomUUID() }
      await s.linkAccount(userId, account)
      const deleted = await s.deleteFactor(userId, type, id, ...rest)
      await s.unlinkAccount(userId, account.provider, account.providerAccountId, ...rest)
      return deleted
    },
  }),
  'unlinkAccount does not count factors': (s) => ({
    unlinkAccount: async (userId, ...account) =>
      (await s.listAccounts(userId)).length > 1 && s.unlinkAccount(userId, ...account),
  }),
  'unlinkAccount counts every factor': (s) => ({
    async unlinkAccount(userId, provider, providerAccountId, ...rest) {
      if (await s.unlinkAccount(userId, provider, providerAccountId, ...rest)) return true
      const [factor] = await s.listFactors(userId)
      if (!factor) return false
      const spare = { provider: 'spare', type: 'oauth', providerAccountId: crypto.randomUUID() }
      await s.linkAccount(userId, spare)
      return s.unlinkAccount(userId, provider, providerAccountId, ...rest)
    },
  }),
  'deleteFactor ignores the listed types': (s) => ({
    deleteFactor: (userId, type, id, events) => s.deleteFactor(userId, type, id, events),
  }),
  'deleteFactor counts the default types too': (s) => ({
    deleteFactor: (userId, type, id, events, listed = []) =>
      s.deleteFactor(userId, type, id, events, ['password', 'passkey', ...listed]),
  }),
  'deleteFactor without a type counts the default types': (s) => ({
    deleteFactor: (userId, type, id, events, listed) =>
      s.deleteFactor(userId, type, id, events, listed?.length === 0 ? undefined : listed),
  }),
  'unlinkAccount ignores the listed types': (s) => ({
    unlinkAccount: (userId, provider, id, events) => s.unlinkAccount(userId, provider, id, events),
  }),
  'unlinkAccount counts the default types too': (s) => ({
    unlinkAccount: (userId, provider, id, events, listed = []) =>
      s.unlinkAccount(userId, provider, id, events, ['password', 'passkey', ...listed]),
  }),
  'linkAccount with null ignores the backups': (s) => ({
    linkAccount: (userId, account, email, events) => s.linkAccount(userId, account, email, events),
  }),
  'linkAccount with null counts backups': (s) => ({
    linkAccount: (userId, account, email, events, backups) =>
      s.linkAccount(userId, account, email, events, backups && []),
  }),
  'linkAccount with null ignores factors': (s) => ({
    async linkAccount(userId, account, email, ...rest) {
      const isFree = email === null && (await s.listAccounts(userId)).length === 0
      return s.linkAccount(userId, account, isFree ? undefined : email, ...rest)
    },
  }),
  'deleteUser keeps factors': (s) => ({
    async deleteUser(id) {
      const [first] = await s.listFactors(id)
      await s.deleteUser(id)
      if (!first) return
      const { userId: _, version: __, ...factor } = first
      const other = await s.createUser({ ...nobody, id: crypto.randomUUID() })
      await s.createFactor(other?.id ?? '', factor)
    },
  }),
}

/** Storages that each break one rule of the capability `grants` or `clients`. */
const grantFaults: Readonly<Record<string, (s: Storage & Grants & Clients) => Partial<Storage>>> = {
  'createGrant ignores the user': (s) => ({
    createGrant: async (grant, events) => {
      const isKnown = grant.userId === null || (await s.getUser(grant.userId)) !== undefined
      return s.createGrant(isKnown ? grant : { ...grant, userId: null }, events)
    },
  }),
  'createGrant replaces a grant': (s) => ({
    async createGrant(grant, events) {
      await s.deleteGrant(grant.id)
      return s.createGrant(grant, events)
    },
  }),
  'createGrant ignores the key of another grant': (s) => ({
    async createGrant(grant, events) {
      const isTaken = grant.key !== null && (await s.getGrantByKey(grant.key, 0)) !== undefined
      return s.createGrant(isTaken ? { ...grant, key: null } : grant, events)
    },
  }),
  'createGrant accepts any data': (s) => ({
    createGrant: (grant, events) =>
      s.createGrant({ ...grant, data: grant.data.slice(0, 8000) }, events),
  }),
  'createGrant loses its events': (s) => ({ createGrant: (grant) => s.createGrant(grant) }),
  'ids of grants are compared without case': (s) => ({
    createGrant: (grant, events) => s.createGrant({ ...grant, id: grant.id.toLowerCase() }, events),
    getGrantAndUser: (id, now) => s.getGrantAndUser(id.toLowerCase(), now),
  }),
  'a grant never expires': (s) => ({
    getGrantAndUser: (id) => s.getGrantAndUser(id, 0),
    getGrantByKey: (key) => s.getGrantByKey(key, 0),
    listGrants: (userId) => s.listGrants(userId, 0),
  }),
  'getGrantByKey ignores the expiry': (s) => ({ getGrantByKey: (key) => s.getGrantByKey(key, 0) }),
  'getGrantAndUser returns a grant without its user': (s) => ({
    async getGrantAndUser(id, now) {
      const found = await s.getGrantAndUser(id, now)
      return found && { ...found, user: null }
    },
  }),
  'listGrants returns the oldest first': (s) => ({
    listGrants: async (userId, now) => (await s.listGrants(userId, now)).toReversed(),
  }),
  'listGrants returns the newest 99': (s) => ({
    listGrants: async (userId, now) => (await s.listGrants(userId, now)).slice(0, 99),
  }),
  'updateGrant ignores the version': (s) => ({
    async updateGrant(id, _version, changes, events) {
      const found = await s.getGrantAndUser(id, 0)
      return s.updateGrant(id, found?.grant.version ?? '', changes, events)
    },
  }),
  'updateGrant compares the version before it writes': (s) => ({
    async updateGrant(id, version, changes, events) {
      const before = await s.getGrantAndUser(id, 0)
      await pause()
      if (before?.grant.version !== version) return false
      const found = await s.getGrantAndUser(id, 0)
      return s.updateGrant(id, found?.grant.version ?? '', changes, events)
    },
  }),
  'updateGrant keeps the key': (s) => ({
    updateGrant(id, version, changes, events) {
      const { key: _, ...others } = changes
      return s.updateGrant(id, version, others, events)
    },
  }),
  'updateGrant ignores null': (s) => ({
    updateGrant: (id, version, { authenticatedAt, ...changes }, events) =>
      s.updateGrant(
        id,
        version,
        authenticatedAt ? { ...changes, authenticatedAt } : changes,
        events,
      ),
  }),
  'updateGrant ignores an unknown user': (s) => ({
    async updateGrant(id, version, { userId, ...changes }, events) {
      const isKnown = userId !== undefined && (await s.getUser(userId)) !== undefined
      return s.updateGrant(id, version, isKnown ? { ...changes, userId } : changes, events)
    },
  }),
  'updateGrant gives a grant another user': (s) => ({
    async updateGrant(id, version, { userId, ...changes }, events) {
      const owner = (await s.getGrantAndUser(id, 0))?.grant.userId
      const isOpen = userId !== undefined && owner === null
      return s.updateGrant(id, version, isOpen ? { ...changes, userId } : changes, events)
    },
  }),
  'updateGrant stores the events of a refused change': (s) => ({
    async updateGrant(id, version, changes, events) {
      await s.deleteGrant('', events)
      return s.updateGrant(id, version, changes)
    },
  }),
  'deleteGrants ignores the client': (s) => ({
    deleteGrants: ({ userId, clientId = '' }, events) =>
      s.deleteGrants(userId === undefined ? { clientId } : { userId }, events),
  }),
  'deleteGrants of a client deletes nothing': (s) => ({
    async deleteGrants(selection, events) {
      if (selection.userId !== undefined) await s.deleteGrants(selection, events)
    },
  }),
  'deleteUser keeps grants': (s) => ({
    async deleteUser(id, events) {
      const grants = await s.listGrants(id, 0)
      await s.deleteUser(id, events)
      for (const { version: _, ...grant } of grants) await s.createGrant({ ...grant, userId: null })
    },
  }),
  'joinUser keeps grants': (s) => ({
    async joinUser(id, ...args) {
      const grants = await s.listGrants(id, 0)
      const joined = await s.joinUser?.(id, ...args)
      for (const { version: _, ...grant } of grants) await s.createGrant(grant)
      return joined
    },
  }),
  'createClient replaces a client': (s) => ({
    async createClient(client, events) {
      await s.deleteClient(client.id)
      return s.createClient(client, events)
    },
  }),
  'a client never expires': (s) => ({ getClient: (id) => s.getClient(id, 0) }),
  'listClients returns clients that have expired': (s) => ({
    listClients: (limit, _now, after) => s.listClients(limit, 0, after),
  }),
  'listClients repeats the last client of the previous page': (s) => ({
    async listClients(limit, now, after) {
      const last = after === undefined ? undefined : await s.getClient(after, now)
      return [...(last ? [last] : []), ...(await s.listClients(limit, now, after))].slice(0, limit)
    },
  }),
  'updateClient ignores the version': (s) => ({
    async updateClient(id, _version, changes, events) {
      const found = await s.getClient(id, 0)
      return s.updateClient(id, found?.version ?? '', changes, events)
    },
  }),
  'updateClient compares the version before it writes': (s) => ({
    async updateClient(id, version, changes, events) {
      const before = await s.getClient(id, 0)
      await pause()
      if (before?.version !== version) return false
      const found = await s.getClient(id, 0)
      return s.updateClient(id, found?.version ?? '', changes, events)
    },
  }),
  'updateClient keeps the expiry': (s) => ({
    updateClient: (id, version, { data }, events) =>
      s.updateClient(id, version, data === undefined ? {} : { data }, events),
  }),
  'deleteClient loses its events': (s) => ({ deleteClient: (id) => s.deleteClient(id) }),
}

const nobody = { name: null, email: null, emailVerified: false, image: null }

const grantGroups: readonly StorageGroup[] = ['grants', 'clients']
const factorCases = storageContract.filter(({ needs }) => needs.includes('factors'))
const grantCases = storageContract.filter(({ needs }) =>
  needs.some((need) => grantGroups.includes(need)),
)
const outboxCases = storageContract.filter(({ needs }) => needs.includes('outbox'))
const userListCases = storageContract.filter(({ needs }) => needs.includes('userLists'))
const added: readonly StorageGroup[] = ['outbox', 'userLists', 'factors', ...grantGroups]
const otherCases = storageContract.filter(
  ({ needs }) => !needs.some((capability) => added.includes(capability)),
)

test('a storage without a fault fulfils the contract', async () => {
  expect(await findFailures(storageContract, () => ({}))).toEqual([])
})

test.for(Object.entries(faults))('the contract finds: %s', async ([, fault]) => {
  expect(await findFailures(otherCases, fault)).not.toEqual([])
})

test.for(Object.entries(userListFaults))('the contract finds: %s', async ([, fault]) => {
  expect(await findFailures(userListCases, fault)).not.toEqual([])
})

test.for(Object.entries(factorFaults))('the contract finds: %s', async ([, fault]) => {
  const broken: Fault = (storage) => fault(requireFactors(storage))
  expect(await findFailures(factorCases, broken)).not.toEqual([])
})

test.for(Object.entries(grantFaults))('the contract finds: %s', async ([, fault]) => {
  const broken: Fault = (storage) =>
    fault({ ...requireGrants(storage), ...requireClients(storage) })
  expect(await findFailures(grantCases, broken)).not.toEqual([])
})

test('the cases of a storage are those of its capabilities', () => {
  const all = memoryStorage()
  expect(getStorageCases(all)).toEqual(storageContract)
  const unlisted = { ...all, listUsers: undefined } as unknown as Storage
  expect(getStorageCases(unlisted)).toEqual(
    storageContract.filter(({ needs }) => !needs.includes('userLists')),
  )
  const withoutFactors = Object.entries(all).filter(([name]) => !/Factors?(AndUser)?$/.test(name))
  expect(getStorageCases(Object.fromEntries(withoutFactors) as never)).toEqual(
    storageContract.filter(({ needs }) => !needs.includes('factors')),
  )
  const withoutGrants = Object.entries(all).filter(
    ([name]) => !/Grants?(AndUser|ByKey)?$/.test(name),
  )
  expect(getStorageCases(Object.fromEntries(withoutGrants) as never)).toEqual(
    storageContract.filter(({ needs }) => !needs.includes('grants')),
  )
  expect(getStorageCases({ ...all, capabilities: [] })).toEqual(
    storageContract.filter(({ needs }) => needs.length === 0),
  )
})

test.for(Object.entries(outboxFaults))('the contract finds: %s', async ([, fault]) => {
  expect(await findFailures(outboxCases, fault)).not.toEqual([])
})

/** Returns the titles of the cases that a faulty storage fails. */
async function findFailures(cases: readonly StorageCase[], fault: Fault): Promise<string[]> {
  const failures: string[] = []
  for (const { name, run } of cases) {
    const correct = memoryStorage()
    await run({ ...correct, ...fault(correct) }).catch(() => failures.push(name))
  }
  return failures
}

function listUsers(
  storage: Storage,
  limit: number,
  after?: string,
): ReturnType<NonNullable<Storage['listUsers']>> {
  if (!storage.listUsers) throw new Error('expected the method listUsers, found none')
  return storage.listUsers(limit, after)
}

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

/** Lets concurrent calls run. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
