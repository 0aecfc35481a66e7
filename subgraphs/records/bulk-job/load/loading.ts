import type { RecordDefinition, StoredRow } from '../../../kernel/record/definition.ts'
import type { LoadableRecords } from '../../../kernel/record/loadable-records.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { BulkKey } from '../bulk-key.ts'
import type { RowProblem } from '../read-file.ts'
import type { StoredJob } from '../stored-job.ts'

export type RowAction = 'CREATED' | 'UPDATED' | 'DELETED' | 'SKIPPED'

/** What became of a row. Of one that was skipped, the id is that of the record of which it would have made a duplicate. */
export type RowResult =
  | { readonly row: number; readonly id: string; readonly action: RowAction }
  | { readonly row: number; readonly problem: RowProblem }

export interface Loading {
  readonly job: StoredJob
  readonly loadable: LoadableRecords
  /** With the custom fields of the organization. */
  readonly definition: RecordDefinition<StoredRow>
  /** By what rows name records; null for INSERT. */
  readonly key: BulkKey | null
}

/** The refusal of one row. */
export class RowRefused extends Error {
  constructor(readonly problem: RowProblem) {
    super(problem.message)
  }
}

export const definitionOf = (ctx: RequestContext, { definition }: LoadableRecords): RecordDefinition<StoredRow> =>
  shapeFor(ctx, definition)
