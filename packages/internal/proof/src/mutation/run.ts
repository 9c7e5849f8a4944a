import { tryFast } from './fast-pass.ts'
import type { Run } from './progress.ts'
import { getTries, listAlive } from './progress.ts'
import { tryReal, tryUndecided } from './real-pass.ts'
import type { TestFile } from './test-files.ts'
import { createSelector, sortByLikelihood, sortByUse } from './test-order.ts'
import { tryTypes } from './types-pass.ts'

/** If so many mutants are alive, it is worth to find out first which tests reach what. */
const MANY = 1500

/** After so many test files, mutants that the fast mode cannot try run one by one. */
const CHUNK = 30

/** In how many test files a mutant is tried before all others. */
const SPECIFIC_FILES = 6

/** Only what the tests reach. */
const coverPass = { triesPerFile: 0, slowTest: 0, timePerTest: 0, finishes: false }

/** A few quick tests of a file: another file is more likely to notice a mutant than another test. */
const likelyPass = { triesPerFile: 4, slowTest: 300, timePerTest: 20_000 }

/** What is left. */
const lastPass = { slowTest: 3000, timePerTest: 120_000, finishes: true }

/**
 * Tries the chosen mutants until each is noticed, has survived, or the time is over. What was recorded before
 * is not done again.
 */
export async function tryMutants(run: Run): Promise<void> {
  const { tries, compiler } = run
  if (listAlive(run).length < MANY) {
    const tests = sortByLikelihood(run)
    for (let from = 0; from < tests.length; from += CHUNK) {
      const pass = { ...likelyPass, tries, finishes: false }
      await tryFast(run, pass, tests.slice(from, from + CHUNK))
      await tryUndecided(run)
    }
    if (compiler) tryTypes(run, compiler)
  } else {
    // With WebCrypto, only what survives with node:crypto is worth a run.
    await tryFast(run, { ...coverPass, tries }, run.tests.filter(usesNodeCrypto))
    if (compiler) tryTypes(run, compiler)
    const isWorth = createSelector(run, SPECIFIC_FILES)
    const pass = { ...likelyPass, tries, finishes: true, isWorth }
    await tryFast(run, pass, sortByUse(run).filter(usesNodeCrypto))
  }
  // Many of those that are left are noticed by the most specific test file.
  await tryReal(run, 1)
  await tryRest(run, tries)
  // A place that hundreds of tests reach can be noticed by one of them only.
  const last = getTries(run)
  if (last > tries) await tryRest(run, last)
}

async function tryRest(run: Run, tries: number): Promise<void> {
  await tryFast(run, { ...lastPass, tries, triesPerFile: tries }, sortByUse(run))
  await tryReal(run)
}

function usesNodeCrypto({ usesWebCrypto }: TestFile): boolean {
  return !usesWebCrypto
}
