/**
 * `pnpm prove [part of a name…]`: proves the models of the folder `models` with ProVerif, then makes each
 * fault of `models.ts`. It fails if a query does not hold, or if no attack is found with a fault.
 */
import { modelMutants, models } from './models.ts'
import { findVersion, readModel, runProVerif, toFaultyModel } from './run-proverif.ts'

const version = await findVersion()
if (version === undefined) {
  console.error(
    'proverif is missing: expected ProVerif 2.05 in the PATH.\n' +
      'Install it with opam (opam install proverif), or build it from https://proverif.inria.fr.',
  )
  process.exitCode = 1
} else {
  console.log(`ProVerif ${version}`)
  const failures = (await proveModels()) + (await breakModels())
  console.log(
    failures === 0 ? 'everything is proved, and every fault is found' : `${failures} failed`,
  )
  process.exitCode = failures === 0 ? 0 : 1
}

/** Proves every query of every chosen model, and returns how many do not hold. */
async function proveModels(): Promise<number> {
  let failures = 0
  for (const file of models.filter(isChosen)) {
    for (const { name, holds } of await runProVerif(await readModel(file))) {
      if (holds !== true) failures += 1
      console.log(`${describe(holds)}  ${file}: ${name}`)
    }
  }
  return failures
}

/** Makes every fault in the chosen models, and returns with how many no attack is found. */
async function breakModels(): Promise<number> {
  let failures = 0
  for (const mutant of modelMutants.filter(({ file }) => isChosen(file))) {
    const [answer] = await runProVerif(toFaultyModel(await readModel(mutant.file), mutant))
    const isBroken = answer?.holds === false
    if (!isBroken) failures += 1
    console.log(`${isBroken ? 'broken' : 'SURVIVED'}  ${mutant.file}: ${mutant.reason}`)
    console.log(
      `  ${answer?.holds === undefined ? 'neither proved nor broken: ' : ''}${answer?.name}`,
    )
  }
  return failures
}

function describe(holds: boolean | undefined): string {
  return holds === undefined ? 'NOT PROVED' : holds ? 'proved' : 'BROKEN'
}

function isChosen(file: string): boolean {
  const parts = process.argv.slice(2)
  return parts.length === 0 || parts.some((part) => file.includes(part))
}
