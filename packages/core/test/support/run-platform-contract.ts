/** Runs the contract with the platform that `#crypto` is in the runtime that executes this program. */
import { platform } from '#crypto'
import { platformContract } from './platform-contract.ts'

for (const { run } of platformContract) await run(platform)
const isSynchronous = !(platform.hash('') instanceof Promise)
console.log(`${platformContract.length} cases, ${isSynchronous ? 'synchronous' : 'asynchronous'}`)
