/**
 * Returns an environment variable of the running application; the build has no variables.
 *
 * @throws Error naming the variable, if it is not set
 */
export function getVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`the environment variable ${name} is not set`)
  return value
}
