import { memoryStorage } from '@latchkey/core/memory'
import { test } from 'vitest'
import {
  checkClients,
  checkDevices,
  checkGrants,
  checkMostGrants,
  clientsTitle,
  devicesTitle,
  grantsTitle,
  mostGrantsTitle,
} from './support/each-storage.ts'

test(grantsTitle, () => checkGrants(memoryStorage()))
test(clientsTitle, () => checkClients(memoryStorage()))
test(devicesTitle, () => checkDevices(memoryStorage()))
test(mostGrantsTitle, () => checkMostGrants(memoryStorage()))
