import { contenderNames } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { mapNames } from '../output/map-names.ts'
import { firstRequests, subjects } from './subjects.ts'
import type { FirstRequest, Subject } from './subjects.ts'

export interface ColdOptions {
  /** The number of cold starts of each Worker for each request. */
  readonly rounds: number
  /** Called before each round. */
  readonly beforeRound?: () => Promise<void>
}

/** The figures of cold starts, in milliseconds, one for each round; none if a Worker has no such request. */
export type ColdSeries<Figure extends string> = Readonly<
  Record<FirstRequest, Readonly<Record<ContenderName, readonly Readonly<Record<Figure, number>>[]>>>
>

/** Starts every Worker in turn for every request. Each round begins with another Worker. */
export async function createSeries<Figure extends string>(
  { rounds, beforeRound }: ColdOptions,
  start: (subject: Subject, request: FirstRequest) => Promise<Readonly<Record<Figure, number>>>,
): Promise<ColdSeries<Figure>> {
  const series = mapNames(firstRequests, () =>
    mapNames(contenderNames, (): Readonly<Record<Figure, number>>[] => []),
  )
  for (let round = 0; round < rounds; round++) {
    await beforeRound?.()
    for (const request of firstRequests) {
      for (let i = 0; i < subjects.length; i++) {
        const subject = subjects[(round + i) % subjects.length] as Subject
        if (subject.paths[request] === undefined) continue
        series[request][subject.name].push(await start(subject, request))
      }
    }
  }
  return series
}
