import { Resolver } from 'type-graphql'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { mergeMoveTable } from './merge-move.migrations.ts'
import { forgetMergeMoves, mergeMoveQueue } from './merge-move.queue.ts'

/** The operations are those of the record types that can be merged (`mergeResource`). */
@Resolver()
class MergeMoveResolver {}

export const mergeMoveResource: Resource = {
  resolver: MergeMoveResolver,
  migrations: [mergeMoveTable],
  queues: [mergeMoveQueue],
  jobs: [forgetMergeMoves],
}
