import { test } from 'vitest'
import { checkAlteredRows } from '../../core/test/support/altered-rows.ts'
import { openAltered } from './support/altered.ts'

test('whatever rows a database returns, the service answers as documented', () =>
  checkAlteredRows(openAltered))
