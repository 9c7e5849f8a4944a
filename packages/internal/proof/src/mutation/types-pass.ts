import type { Compiler } from './compiler.ts'
import { applyMutant } from './mutants.ts'
import { groupBy, listAlive } from './progress.ts'
import type { Run } from './progress.ts'
import { getPackage } from './sources.ts'

/**
 * Compiles the mutants that are alive: what has wrong types cannot be committed. Each source file has one fault
 * at a time; its exports have explicit types, so that the errors of a fault are in its own file.
 *
 * @throws Error if the sources themselves do not compile
 */
export function tryTypes(run: Run, compiler: Compiler): void {
  const alive = listAlive(run).filter((mutant) => !run.records.hasCompiled(mutant))
  const lists = groupBy(alive, ({ file }) => file)
  const rounds = Math.max(0, ...[...lists.values()].map(({ length }) => length))
  if (rounds === 0) return
  run.print(`${alive.length} mutants to compile in ${rounds} rounds`)
  compiler.copy(new Set([...lists.keys()].map(getPackage)))
  for (let round = 0; round < rounds && Date.now() < run.until; round += 1) {
    const began = Date.now()
    const mutants = [...lists.values()].flatMap((list) => list.slice(round, round + 1))
    const texts = mutants.map((mutant) => {
      const { file, source } = run.catalog.getFile(mutant.file)
      return [file, applyMutant(source, mutant)] as const
    })
    const originals = [...lists]
      .filter(([, list]) => list.length === round)
      .map(([file]) => [file, run.catalog.getFile(file).source] as const)
    const errors = compiler.compile(new Map([...originals, ...texts]))
    const seconds = (Date.now() - began) / 1000 / mutants.length
    for (const mutant of mutants) {
      const by = errors.get(mutant.file)
      if (by === undefined) run.records.addCompiled(mutant, seconds)
      else run.records.addKilled(mutant, { by, how: 'types' }, seconds)
    }
  }
  compiler.remove()
}
