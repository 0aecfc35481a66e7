import { Field, Float, Int, ObjectType } from 'type-graphql'
import { count, countBy, sum } from '../../kernel/record/aggregates.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { FileStatus } from './file.enumerations.ts'
import { file } from './file.record.ts'

const FileStatusCounts = valueCounts(FileStatus, 'FILES', 'files')

@ObjectType({ description: 'Statistics of the live files that the caller sees.' })
@RequiresScope('FILES')
export class FileStats {
  @Field(() => Int, { description: 'Number of files.' })
  total!: number

  @Field(() => Float, {
    nullable: true,
    description: 'Bytes of all of them together. Null if the profile hides `size`.',
  })
  totalSize!: number | null

  @Field(() => FileStatusCounts, { description: 'Number of files by `status`.' })
  byStatus!: Counts
}

export async function fileStats(ctx: RequestContext, filter: FilterInput | null): Promise<FileStats> {
  return (await figures(
    ctx,
    file,
    { total: count(), totalSize: sum('size'), byStatus: countBy('status') },
    filter,
  )) as FileStats
}
