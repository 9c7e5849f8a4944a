import { test } from 'vitest'
import { checkAlteredRows } from '../../core/test/support/altered-rows.ts'
import { checkSameAsMemory } from '../../core/test/support/storage-calls.ts'
import { createStorage, observeScripts, onEveryLibrary } from './support/clients.ts'

onEveryLibrary('any sequence of calls', (connected) => {
  test('returns what the memory storage returns', () => checkSameAsMemory(connected().storage))

  test('is answered as documented by the service, whatever Redis replies', async () => {
    const { client, prefix } = connected()
    let cases = 0
    await checkAlteredRows(async (alter) => {
      const altered = observeScripts(client.client, async (script) => alter(await script()))
      return createStorage(altered, { prefix: `${prefix}${cases++}:` })
    })
  })
})
