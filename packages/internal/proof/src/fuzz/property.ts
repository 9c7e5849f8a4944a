import type { Draw } from './draw.ts'

/** What holds for a function, whatever it is given. */
export interface Property {
  readonly name: string
  /** Draws what the function is given, as JSON. */
  readonly draw: (draw: Draw) => unknown
  readonly run: (given: unknown) => void | Promise<void>
}

/** Names a property. `run` receives what `draw` returns, or the same from a JSON file. */
export function defineProperty<Given>(
  name: string,
  draw: (draw: Draw) => Given,
  run: (given: Given) => void | Promise<void>,
): Property {
  return { name, draw, run: (given) => run(given as Given) }
}

/** Returns the result of a call, or undefined if it throws one of the expected errors. */
export function unlessRefused<T>(
  call: () => T,
  isExpected: (thrown: unknown) => boolean,
): T | undefined {
  try {
    return call()
  } catch (thrown) {
    if (isExpected(thrown)) return undefined
    throw thrown
  }
}
