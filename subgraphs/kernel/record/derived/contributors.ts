import { duplicateKeyRows } from '../duplicates/key-rows.ts'
import { valueRows } from '../value-index/value-rows.ts'
import { rollupRows } from '../rollup/rollup-rows.ts'
import type { Contributor } from './contributor.ts'
import { fieldHistory } from './field-history.ts'

/** Everything that is derived from records, in the order of the statements. */
export const contributors: readonly Contributor[] = [valueRows, duplicateKeyRows, rollupRows, fieldHistory]
