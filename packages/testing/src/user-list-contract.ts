import type { StoredUser, Storage } from '@latchkey/core'
import { contract, createUser, newPerson } from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'

/** The cases of the capability `userLists`. The storage may hold users of other cases. */
export const userListCases: readonly StorageCase[] = [
  contract('listUsers returns users as getUser does', ['userLists'], async (storage) => {
    const person = { name: `Zoë 😀 '";--`, email: null, emailVerified: false, image: null }
    const { id } = await createUser(storage, newPerson(person).user)
    const other = await createUser(storage, newPerson().user)
    const listed = await listAll(storage, 1000)
    for (const user of [{ ...person, id }, other]) {
      equal(find(listed, user.id), [user], 'listUsers')
    }
  }),
  contract('pages of any size have every user once', ['userLists'], async (storage) => {
    const ids = await createUsers(storage, 12)
    const { length } = await listAll(storage, 1000)
    for (const parts of [1, 2, 12]) {
      const listed = await listAll(storage, Math.ceil(length / parts))
      for (const id of ids) equal(find(listed, id).length, 1, `about ${parts} pages`)
    }
  }),
  contract(
    'every list has the same order, and no page is too long',
    ['userLists'],
    async (storage) => {
      const ids = await createUsers(storage, 5)
      const order = (users: readonly StoredUser[]): readonly string[] =>
        users.map(({ id }) => id).filter((id) => ids.includes(id))
      const all = await listAll(storage, 1000)
      equal(order(await listAll(storage, Math.ceil(all.length / 4))), order(all), 'the order')
      equal((await list(storage, 3)).length, 3, 'a page of three')
    },
  ),
  contract(
    'users who stay are listed once while others are created and deleted',
    ['userLists'],
    async (storage) => {
      const stay = await createUsers(storage, 6)
      const leave = await createUsers(storage, 6)
      const size = Math.ceil((await listAll(storage, 1000)).length / 8)
      const listed: StoredUser[] = []
      for (let after: string | undefined; ; after = listed.at(-1)?.id) {
        const page = await list(storage, size, after)
        listed.push(...page)
        if (page.length < size) break
        // Also the last user of a page, after whom the next one begins.
        const gone = page.filter(({ id }) => leave.includes(id))
        for (const { id } of gone) await storage.deleteUser(id)
        await createUsers(storage, 1)
      }
      for (const id of stay) equal(find(listed, id).length, 1, 'a user who stays')
      for (const id of leave)
        equal(find(listed, id).length, 1, 'a user who was listed, then deleted')
    },
  ),
  contract('listUsers after the last user is empty', ['userLists'], async (storage) => {
    await createUsers(storage, 1)
    const last = (await listAll(storage, 1000)).at(-1)
    equal(await list(storage, 10, last?.id), [], 'listUsers')
  }),
]

async function createUsers(storage: Storage, count: number): Promise<readonly string[]> {
  const people = Array.from({ length: count }, () => newPerson())
  const users = await Promise.all(people.map(({ user }) => createUser(storage, user)))
  return users.map(({ id }) => id)
}

async function list(
  storage: Storage,
  limit: number,
  after?: string,
): Promise<readonly StoredUser[]> {
  if (!storage.listUsers) throw new Error('expected the method listUsers, found none')
  return storage.listUsers(limit, after)
}

async function listAll(storage: Storage, limit: number): Promise<readonly StoredUser[]> {
  const users: StoredUser[] = []
  for (;;) {
    const page = await list(storage, limit, users.at(-1)?.id)
    if (page.length > limit)
      throw new Error(`expected at most ${limit} users, found ${page.length}`)
    users.push(...page)
    if (page.length < limit) return users
  }
}

function find(users: readonly StoredUser[], wanted: string): readonly StoredUser[] {
  return users.filter(({ id }) => id === wanted)
}
