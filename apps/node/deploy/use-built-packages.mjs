// Lets the packages of a deployed folder export what was built, as when they are published: Node does not
// run TypeScript in node_modules, and `pnpm deploy` leaves package.json as it is in the repository.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [, , target = '.'] = process.argv
const manifests = globSync('node_modules/.pnpm/*/node_modules/@latchkey/*/package.json', {
  cwd: target,
}).map((file) => join(target, file))
if (manifests.length === 0) throw new Error(`expected packages in ${target}, found none`)

for (const file of manifests) {
  const {
    publishConfig = {},
    devDependencies: _,
    ...manifest
  } = JSON.parse(readFileSync(file, 'utf8'))
  const built = { ...manifest, ...publishConfig }
  // A package that is linked from the store must not be changed there.
  rmSync(file)
  writeFileSync(file, `${JSON.stringify(built, undefined, 2)}\n`)
  rmSync(join(dirname(file), 'README.md'), { force: true })
}
for (const name of ['README.md', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
  rmSync(join(target, name), { force: true })
}
