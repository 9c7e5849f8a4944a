import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/** The tests that take longest. One that started last would end long after all others. */
const longTests: readonly string[] = [
  'packages/internal/faults/test/run.test.ts',
  'packages/client/test/chromium.test.ts',
  'packages/cli/test/misconfigurations.test.ts',
  'packages/storage-sql/test/contract.test.ts',
  'packages/internal/page-tests/test/pages.test.ts',
  'packages/node/test/database.test.ts',
  'packages/storage-sql/test/reconnect.test.ts',
  'packages/cli/test/init.test.ts',
  'packages/internal/hosts/test/frameworks.test.ts',
  'apps/node/test/server.test.ts',
  'packages/cli/test/migrate.test.ts',
  'apps/demo/test/chromium.test.ts',
  'packages/storage-sql/test/migrate-online.test.ts',
  'packages/storage-sql/test/outages.test.ts',
  'apps/node/test/reload.test.ts',
]

/** Starts the long tests first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a method of the sequencer
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => getRank(a) - getRank(b))
  }
}

function getRank({ moduleId }: TestSpecification): number {
  const rank = longTests.findIndex((path) => moduleId.endsWith(`/${path}`))
  return rank === -1 ? longTests.length : rank
}
